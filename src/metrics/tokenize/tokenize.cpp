#include "metrics/tokenize/tokenize.h"

#include "base/registry.h"

namespace attune::metrics {
namespace {

struct Entry {
  std::string name;
  Tokenizer tokenizer;
};

Registry<Entry>& registry() {
  static Registry<Entry> tokenizers("tokeniser");
  return tokenizers;
}

const RegisterTokenizer none("none", [](std::string_view line) { return std::string(line); });

}  // namespace

RegisterTokenizer::RegisterTokenizer(std::string_view name, Tokenizer tokenizer) {
  registry().add({std::string(name), tokenizer});
}

Tokenizer find_tokenizer(std::string_view name) { return registry().at(name).tokenizer; }

std::vector<std::string> tokenizer_names() { return registry().names(); }

}  // namespace attune::metrics
