// What the writers of Hugging Face's folders share.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "convert/huggingface/network.h"

namespace attune::huggingface {

// A folder that is being written; it appears with everything in it.
struct Written {
  nlohmann::json config;
  std::vector<NamedTensor> tensors;

  // All parts, under their names with `prefix` before them.
  void add(const Parts& parts, const Parameters& ours, const std::string& prefix);
  void add(std::string name, const Tensor& tensor) { tensors.push_back({std::move(name), tensor}); }
};

// A parameter; a UsageError if its numbers were made smaller.
Tensor parameter(const Parameters& ours, std::string_view name);
Tensor scaled(const Tensor& tensor, double factor);

// What all of these networks require; `what` is "GPT-2".
void require_plain_attention(const BlockConfig& config, const std::string& what);
// What those of before Llama require.
void require_plain_blocks(const BlockConfig& config, const std::string& what);
void require_no_output_bias(const GptConfig& config, const Parameters& ours, const std::string& what);
void require_norm(const BlockConfig& config, NormPlace place, const std::string& what);

// tokenizer.json and tokenizer_config.json. `roles` are more entries of the latter.
void write_tokenizer(const std::filesystem::path& folder, const Vocabulary& words, int64_t longest,
                     const nlohmann::json& roles);

void write_gpt2(const ModelFiles& model, const std::filesystem::path& folder);
void write_llama(const ModelFiles& model, const std::filesystem::path& folder);
void write_bert(const ModelFiles& model, const std::filesystem::path& folder);
void write_marian(const ModelFiles& model, const std::filesystem::path& folder);
void save(const Written& written, const std::filesystem::path& folder);

}  // namespace attune::huggingface
