#include "metrics/tokenize/tokenize.h"

#include <map>

#include "attune/error.h"
#include "base/check.h"
#include "base/nearest.h"

namespace attune::metrics {
namespace {

std::map<std::string, Tokenizer, std::less<>>& registry() {
  static std::map<std::string, Tokenizer, std::less<>> tokenizers;
  return tokenizers;
}

const RegisterTokenizer none("none", [](std::string_view line) { return std::string(line); });

}  // namespace

RegisterTokenizer::RegisterTokenizer(std::string_view name, Tokenizer tokenizer) {
  registry().emplace(name, tokenizer);
}

Tokenizer find_tokenizer(std::string_view name) {
  const auto entry = registry().find(name);
  if (entry == registry().end())
    throw UsageError(
        fmt::format("there is no tokeniser '{}'{}", name, did_you_mean(name, tokenizer_names())));
  return entry->second;
}

std::vector<std::string> tokenizer_names() {
  std::vector<std::string> names;
  for (const auto& [name, tokenizer] : registry()) names.push_back(name);
  return names;
}

}  // namespace attune::metrics
