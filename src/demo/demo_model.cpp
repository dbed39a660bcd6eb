#include "demo/demo_model.h"

#include "decode/translator.h"
#include "look/probed_model.h"

namespace attune::demo {

DemoModel::DemoModel(const std::string& name, const std::filesystem::path& folder,
                     const SearchOptions& search)
    : name_(name), folder_(load_model_files(folder)), search_(search) {}

std::vector<std::string> DemoModel::translate(std::span<const std::string> texts) const {
  const TranslatorSetup setup{.task = folder_.config->task(),
                              .vocabularies = folder_.vocabularies,
                              .longest = folder_.config->longest(),
                              .search = search_};
  return Translator(Ensemble(dynamic_cast<const Writer&>(*folder_.model)), setup).translate(texts);
}

view::Attention DemoModel::look(const std::string& text) const {
  return AttentionProbe(probed_model(folder_, name_), {.search = search_}).look(text);
}

view::AttentionMatrix demo_map(const view::Attention& attention) {
  view::AttentionMatrix map = choose(attention, {});
  if (!map.sources.empty()) map.sources.back() = "⏎";
  if (!map.targets.empty() && map.targets.back() == attention.encoder_tokens.back()) {
    map.targets.pop_back();
    map.weights.pop_back();
  }
  return map;
}

}  // namespace attune::demo
