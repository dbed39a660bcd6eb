#include "cli/demo_model.h"

namespace attune::cli {
namespace {

// The end of a sentence takes no more room than a letter.
std::vector<std::string> labels(const Vocabulary& vocabulary, std::span<const int32_t> ids) {
  std::vector<std::string> pieces;
  for (const int32_t id : ids) pieces.push_back(id == vocabulary.eos() ? "⏎" : vocabulary.piece(id));
  return pieces;
}

}  // namespace

DemoModel::DemoModel(const std::filesystem::path& folder, const SearchOptions& search)
    : folder_(load_model_folder(folder)), search_(search) {}

Translator DemoModel::translator(bool alignment) const {
  TranslatorSetup setup{.task = folder_.config->task(),
                        .vocabularies = folder_.vocabularies,
                        .longest = folder_.config->longest(),
                        .search = search_};
  setup.search.alignment = alignment;
  return Translator(Ensemble(dynamic_cast<const Writer&>(*folder_.model)), setup);
}

std::vector<std::string> DemoModel::translate(std::span<const std::string> texts) const {
  return translator(false).translate(texts);
}

view::Panel DemoModel::look(const std::string& name, const std::string& text) const {
  const Translator looking = translator(true);
  const TranslatorInput input{.text = text};
  Hypothesis best = looking.search({&input, 1})[0][0];
  const auto& [source, target] = folder_.vocabularies;
  best.alignment.resize(best.words.size());  // without the end
  return {name,
          looking.text(best, input),
          {labels(*source, looking.tokens(text)), labels(*target, best.words), best.alignment}};
}

}  // namespace attune::cli
