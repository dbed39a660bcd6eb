#include "models/model_config.h"

#include "base/registry.h"
#include "config/rules.h"
#include "models/read_tokens.h"

namespace attune {
namespace {

Registry<ModelType>& registry() {
  static Registry<ModelType> types("type of model");
  return types;
}

}  // namespace

void register_model(ModelType type) { registry().add(std::move(type)); }

std::span<const char* const> enum_names(Size) {
  static constexpr const char* kWords[] = {"tiny", "small", "base", "big"};
  return kWords;
}

int64_t count_parameters(const ModelConfig& config, const Words& words) {
  Parameters parameters(
      [](std::string_view, const Shape& shape, DType dtype) { return Tensor(shape, dtype); });
  config.make(Scope(parameters, Random(0)), words);
  int64_t count = 0;
  for (const Parameters::Entry& entry : parameters.entries()) count += entry.tensor.size();
  return count;
}

std::vector<std::string> model_types() { return registry().names(); }

std::unique_ptr<ModelConfig> model_config(std::string_view type) {
  require_word("type", std::string(type), model_types());
  return registry().at(type).config(std::string(type));
}

std::unique_ptr<ModelConfig> read_model_config(const Entries& entries) {
  const auto type = std::ranges::find(entries, "type", &Entry::key);
  require(type != entries.end() && type->values.size() == 1, "type",
          "the configuration should name the model's type");
  auto config = model_config(type->values[0]);
  Entries others;
  std::ranges::copy_if(entries, std::back_inserter(others), [](const Entry& e) { return e.key != "type"; });
  assign(fields_of(*config), others);
  config->validate();
  return config;
}

void require_joint(std::string_view key, bool tied, const Words& words) {
  require(!tied || words.vectors || words.source == words.target, key,
          "source and target have {} and {} words; tying needs a joint vocabulary", words.source,
          words.target);
}

void require_words(std::string_view type, const Words& words) {
  require(!words.vectors, "source",
          "a model of type {} reads words; vectors are for transformer, rnn and bert", type);
}

void require_convolution(int64_t convolution) {
  constexpr int64_t kWidest = 99;
  require(convolution > 0 && convolution % 2 == 1 && convolution <= kWidest, "convolution",
          "must be an odd number from 1 to {}, but is {}", kWidest, convolution);
}

Words words_of(const Vocabularies& vocabularies) {
  const Vocabulary& source = *vocabularies.source;
  Words words{source.size(), vocabularies.target->size(), source.vectors() != nullptr || source.several(),
              places_of(source)};
  for (const auto& part : source.parts())
    words.several.push_back(part->vectors() != nullptr ? SourceSize{.width = part->size()}
                                                       : SourceSize{.words = part->size()});
  return words;
}

}  // namespace attune
