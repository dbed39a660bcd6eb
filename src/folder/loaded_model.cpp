#include "attune/loaded_model.h"

#include <fmt/core.h>

#include <numeric>

#include "attune/error.h"
#include "folder/model_folder.h"
#include "view/attention_json.h"

namespace attune {
namespace {

SearchOptions search_options(const ModelFolder& folder, const DecodingOptions& wanted) {
  SearchOptions search = folder.search();
  const auto take = [](auto& option, const auto& value) { option = value.value_or(option); };
  take(search.beam_size, wanted.beam_size);
  take(search.normalize, wanted.normalize);
  take(search.max_length, wanted.max_length);
  take(search.sampling, wanted.sampling);
  take(search.temperature, wanted.temperature);
  take(search.top_k, wanted.top_k);
  take(search.top_p, wanted.top_p);
  take(search.seed, wanted.seed);
  search.n_best = wanted.n_best;
  search.alignment = wanted.alignment;
  return search;
}

Translator translator_of(const ModelFolder& folder, const DecodingOptions& options) {
  folder.require_source();
  return folder.translator({.search = search_options(folder, options)});
}

Generator generator_of(const ModelFolder& folder, const GenerationOptions& options) {
  return folder.generator({.search = search_options(folder, options.decoding), .stops = options.stops});
}

ModelOutput output_of(Hypothesis hypothesis, std::string text, std::vector<std::string> tokens) {
  return {.text = std::move(text),
          .score = hypothesis.score,
          .normalised = hypothesis.normalised,
          .ended = hypothesis.ended,
          .tokens = std::move(tokens),
          .word_scores = std::move(hypothesis.word_scores),
          .alignment = std::move(hypothesis.alignment)};
}

}  // namespace

LoadedModel::LoadedModel(const std::filesystem::path& folder)
    : folder_(std::make_shared<const ModelFolder>(folder)) {}

LoadedModel::LoadedModel(std::span<const std::string> folders, std::span<const double> weights)
    : folder_(std::make_shared<const ModelFolder>(folders, weights)) {}

LoadedModel::LoadedModel(std::shared_ptr<const ModelFolder> folder) : folder_(std::move(folder)) {}

LoadedModel LoadedModel::towards(const std::string& language) const {
  return LoadedModel(std::make_shared<const ModelFolder>(folder_->towards(language)));
}

std::vector<std::string> LoadedModel::target_languages() const { return folder_->target_languages(); }

std::filesystem::path LoadedModel::path() const { return folder_->path(); }
std::string LoadedModel::type() const { return folder_->model().type(); }

std::string LoadedModel::translate(const std::string& sentence, const DecodingOptions& options) const {
  return translate(std::span(&sentence, 1), options)[0];
}

std::vector<std::string> LoadedModel::translate(std::span<const std::string> sentences,
                                                const DecodingOptions& options) const {
  return translator_of(*folder_, options).translate(sentences);
}

std::vector<std::vector<ModelOutput>> LoadedModel::outputs(std::span<const std::string> sentences,
                                                           const DecodingOptions& options) const {
  const Translator translator = translator_of(*folder_, options);
  std::vector<TranslatorInput> inputs;
  for (const std::string& sentence : sentences) inputs.push_back({.text = sentence, .number = inputs.size()});
  auto found = translator.search(inputs);
  std::vector<std::vector<ModelOutput>> all(found.size());
  for (size_t i = 0; i < found.size(); ++i)
    for (Hypothesis& each : found[i]) {
      std::string text = translator.text(each, inputs[i]);
      std::vector<std::string> tokens = translator.pieces(each);
      all[i].push_back(output_of(std::move(each), std::move(text), std::move(tokens)));
    }
  return all;
}

std::vector<std::string> LoadedModel::source_tokens(const std::string& sentence) const {
  std::vector<std::string> pieces;
  for (const int32_t id : folder_->translator({}).tokens(sentence))
    pieces.push_back(folder_->vocabularies().source->piece(id));
  return pieces;
}

std::vector<ModelOutput> LoadedModel::generate(const std::string& prompt,
                                               const GenerationOptions& options) const {
  const Generator generator = generator_of(*folder_, options);
  std::vector<ModelOutput> all;
  for (const Generated& each : generator.best(prompt))
    all.push_back(output_of(each.hypothesis, each.text, generator.pieces(each)));
  return all;
}

ModelOutput LoadedModel::generate(const std::string& prompt, const GenerationOptions& options,
                                  const std::function<bool(const std::string&)>& show) const {
  const Generator generator = generator_of(*folder_, options);
  const Generated output = generator.stream(prompt, 0, show);
  return output_of(output.hypothesis, output.text, generator.pieces(output));
}

std::vector<TextScore> LoadedModel::score(std::span<const std::vector<std::string>> rows) const {
  const Scorer scorer = folder_->scorer();
  const TaskColumns columns = scorer.columns();
  std::vector<LineToScore> lines;
  for (const auto& row : rows) {
    if (row.size() < columns.fewest || row.size() > columns.most)
      throw UsageError(fmt::format("line {}: there are {} columns, but this model reads {}", lines.size() + 1,
                                   row.size(), columns.text()));
    lines.push_back(scorer.line(static_cast<int64_t>(lines.size()), row));
  }
  auto scores = scorer.score(lines);
  std::vector<TextScore> all;
  for (size_t i = 0; i < lines.size(); ++i)
    all.push_back({.log_p = std::accumulate(scores[i].begin(), scores[i].end(), 0.0),
                   .word_scores = std::move(scores[i]),
                   .tokens = scorer.pieces(lines[i])});
  return all;
}

std::string LoadedModel::attention_json(const std::string& source, const std::optional<std::string>& target,
                                        const DecodingOptions& options) const {
  const AttentionProbe probe = folder_->prober({.search = search_options(*folder_, options)});
  return view::head_view_json(probe.look(source, target));
}

}  // namespace attune
