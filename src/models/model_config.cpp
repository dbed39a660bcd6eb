#include "models/model_config.h"

#include <map>

#include "attune/error.h"
#include "config/rules.h"

namespace attune {
namespace {

std::map<std::string, ModelConfigFactory, std::less<>>& registry() {
  static std::map<std::string, ModelConfigFactory, std::less<>> factories;
  return factories;
}

}  // namespace

void register_model(std::string_view type, ModelConfigFactory factory) {
  registry().emplace(std::string(type), std::move(factory));
}

std::vector<std::string> model_types() {
  std::vector<std::string> types;
  for (const auto& [type, factory] : registry()) types.push_back(type);
  return types;
}

std::unique_ptr<ModelConfig> model_config(std::string_view type) {
  require_word("type", std::string(type), model_types());
  return registry().find(type)->second();
}

std::unique_ptr<ModelConfig> read_model_config(const Entries& entries) {
  const auto type = std::ranges::find(entries, "type", &Entry::key);
  require(type != entries.end() && type->values.size() == 1, "type",
          "the configuration should name the model's type");
  auto config = model_config(type->values[0]);
  Entries others;
  std::ranges::copy_if(entries, std::back_inserter(others), [](const Entry& e) { return e.key != "type"; });
  assign([&](Fields& f) { config->fields(f); }, others);
  config->validate();
  return config;
}

void require_joint(std::string_view key, bool tied, const Words& words) {
  require(!tied || words.source == words.target, key,
          "source and target have {} and {} words; only a joint vocabulary can be tied", words.source,
          words.target);
}

}  // namespace attune
