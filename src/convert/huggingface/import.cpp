// Reads the folders of Hugging Face's transformers: config.json, safetensors and a tokenizer.
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "convert/huggingface/network.h"

namespace attune::huggingface {
namespace {

namespace fs = std::filesystem;

using Read = ImportedModel (*)(const Folder&);
constexpr std::pair<const char*, Read> kReaders[] = {
    {"gpt2", read_gpt2}, {"llama", read_llama},           {"mistral", read_llama}, {"qwen2", read_llama},
    {"bert", read_bert}, {"distilbert", read_distilbert}, {"marian", read_marian}};

nlohmann::json config_of(const fs::path& folder) {
  const fs::path path = folder / "config.json";
  return parse_json(read_file(path), path.string());
}

// Folders of attune have a config.json too, but it has no model_type.
bool recognises(const fs::path& path) {
  if (!fs::is_regular_file(path / "config.json")) return false;
  try {
    const nlohmann::json config = config_of(path);
    return config.is_object() && config.contains("model_type");
  } catch (const UsageError&) {
    return false;
  }
}

std::string about(const fs::path& path) {
  const nlohmann::json content = config_of(path);
  const JsonFields config(content, (path / "config.json").string());
  return fmt::format("model_type {}, {}", config.text("model_type", ""), Tensors(path).about());
}

ImportedModel read(const ImportSource& source) {
  const fs::path file = source.path / "config.json";
  const nlohmann::json content = config_of(source.path);
  const JsonFields config(content, file.string());
  const std::string type = config.text("model_type", "");
  std::string known;
  for (const auto& [name, reader] : kReaders) {
    if (type == name) {
      Tensors tensors(source.path, source.progress);
      return reader({source.path, config, tensors});
    }
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  config.refuse("model_type", fmt::format("attune reads {}, not '{}'", known, type));
}

const RegisterImporter registered{
    {.name = "huggingface",
     .what = "a Hugging Face folder (config.json, safetensors, tokenizer) of GPT-2, Llama, BERT or MarianMT",
     .recognises = recognises,
     .read = read,
     .about = about}};

}  // namespace
}  // namespace attune::huggingface
