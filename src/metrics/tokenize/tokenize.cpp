#include "metrics/tokenize/tokenize.h"

#include "attune/error.h"
#include "base/known_names.h"
#include "base/registry.h"
#include "text/writing.h"

namespace attune::metrics {
namespace {

struct Entry {
  std::string name;
  std::function<Tokenizer(const TokenizerOptions&)> make;
};

Registry<Entry>& registry() {
  static Registry<Entry> tokenizers("tokeniser");
  return tokenizers;
}

const RegisterTokenizer none("none", [](std::string_view line) { return std::string(line); });

}  // namespace

RegisterTokenizer::RegisterTokenizer(std::string_view name, std::string (*apply)(std::string_view)) {
  registry().add({std::string(name), [name = std::string(name), apply](const TokenizerOptions&) {
                    return Tokenizer{apply, name};
                  }});
}

RegisterTokenizer::RegisterTokenizer(std::string_view name, Make make) {
  registry().add({std::string(name), make});
}

Tokenizer find_tokenizer(std::string_view name, const TokenizerOptions& options) {
  if (const Entry* entry = registry().find(name)) return entry->make(options);
  throw UsageError(unknown_name("tokeniser", name, tokenizer_names()));
}

std::vector<std::string> tokenizer_names() { return registry().names(); }

std::string suitable_tokenizer(std::span<const std::string> lines) {
  switch (writing_of(lines)) {
    case Writing::chinese: return "zh";
    case Writing::unspaced: return "char";
    default: return "13a";
  }
}

}  // namespace attune::metrics
