// Any bytes are the settings or a word list of a Marian model, the config.json of a Hugging Face folder or of one
// of attune's own, or a UsageError.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "attune/error.h"
#include "convert/marian/options.h"
#include "convert/marian/word_list.h"
#include "io/json.h"
#include "text/tokenizer/json_fields.h"

using namespace attune;

namespace {

std::filesystem::path scratch() {
  std::string name = (std::filesystem::temp_directory_path() / "attune-fuzz-XXXXXX").string();
  return mkdtemp(name.data());
}

template <class Read>
void attempt(const Read& read) {
  try {
    read();
  } catch (const UsageError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::filesystem::path folder = scratch();
  const std::string content(reinterpret_cast<const char*>(data), size);
  attempt([&] {
    const marian::Options options(content, "fuzz");
    attempt([&] { options.refuse_other_networks(); });
    options.number("dim-emb", 0);
    options.list("dim-vocabs");
  });
  for (const char* name : {"words.yml", "words.json", "words.txt"}) {
    std::ofstream(folder / name, std::ios::binary) << content;
    attempt([&] {
      if (marian::read_word_list(folder / name, 64).words.size() != 64) std::abort();
    });
  }
  attempt([&] { read_json(content, "fuzz"); });
  attempt([&] {
    const nlohmann::json json = parse_json(content, "fuzz");
    const JsonFields fields(json, "fuzz");
    for (const char* key : {"model_type", "d_model", "scale_embedding", "rope_scaling", "architectures"}) {
      attempt([&] { fields.text(key, ""); });
      attempt([&] { fields.number(key); });
      attempt([&] { fields.real(key, 0); });
      attempt([&] { fields.flag(key, false); });
      attempt([&] { fields.object(key); });
      attempt([&] { fields.objects(key); });
    }
  });
  return 0;
}
