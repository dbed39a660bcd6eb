// The networks of Hugging Face's folders in attune's terms.
#pragma once

#include <filesystem>

#include "attune/error.h"
#include "convert/convert.h"
#include "convert/huggingface/tensors.h"
#include "models/blocks/bert.h"
#include "models/blocks/gpt.h"
#include "models/blocks/transformer.h"
#include "text/tokenizer/json_fields.h"

namespace attune::huggingface {

// A folder that is being read.
struct Folder {
  std::filesystem::path path;
  JsonFields config;  // config.json
  Tensors& tensors;
};

// An option must have this value, which is what it means if it is missing; a UsageError names it.
void require_flag(const JsonFields& config, std::string_view key, bool value);
void require_number(const JsonFields& config, std::string_view key, double value);
void require_text(const JsonFields& config, std::string_view key, std::string_view value);
// The class of the model, if it is named, is one of these.
void require_class(const JsonFields& config, const std::vector<std::string>& known);
// "gelu_new" -> gelu_tanh; a UsageError if attune does not have it.
FeedForwardKind activation_of(const JsonFields& config, std::string_view key, const std::string& otherwise);
std::string name_of(FeedForwardKind activation);
// A size, at most the largest that makes sense.
int64_t size_of(const JsonFields& config, std::string_view key);

ImportedModel read_gpt2(const Folder& folder);
ImportedModel read_llama(const Folder& folder);
ImportedModel read_bert(const Folder& folder);
ImportedModel read_distilbert(const Folder& folder);
ImportedModel read_marian(const Folder& folder);

// Which tensors are which of attune's, for reading and writing.
Parts gpt2_parts(int64_t layers);
enum class BertNames : uint8_t { bert, distilbert };
Parts bert_parts(int64_t layers, BertNames names);
Parts bert_mask_parts(BertNames names);
Parts marian_parts(int64_t encoder_layers, int64_t decoder_layers);

}  // namespace attune::huggingface
