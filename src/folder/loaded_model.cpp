#include "attune/loaded_model.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "attune/error.h"
#include "attune/patience.h"
#include "attune/threads.h"
#include "config/settings.h"
#include "decode/ordered_work.h"
#include "folder/model_folder.h"
#include "look/embedder.h"

namespace attune {
namespace {

// As Entries, so that the folder decides in one place what they mean.
Entries entries_of(const DecodingOptions& wanted) {
  Settings settings = wanted.others;
  const auto take = [&](const char* key, const auto& value) {
    if (value) settings.insert_or_assign(key, *value);
  };
  take("beam_size", wanted.beam_size);
  take("normalize", wanted.normalize);
  take("max_length", wanted.max_length);
  take("sampling", wanted.sampling);
  take("temperature", wanted.temperature);
  take("top_k", wanted.top_k);
  take("top_p", wanted.top_p);
  take("seed", wanted.seed);
  return entries_of(settings);
}

SearchOptions search_options(const ModelFolder& folder, const DecodingOptions& wanted) {
  SearchOptions search = folder.search(entries_of(wanted));
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

// Sentences for one worker: enough for batches of like length, few enough that all workers have some.
size_t piece_size(size_t sentences, int workers) {
  constexpr size_t kLeast = 32, kMost = 256;
  return std::clamp(sentences / (2 * static_cast<size_t>(workers)), kLeast, kMost);
}

// Whole batches in each thread, as `attune translate` does it; a few sentences in the caller's thread alone.
void search_all(const Translator& translator, std::span<const TranslatorInput> inputs,
                const std::function<void(std::vector<Hypothesis>&&, size_t input)>& found) {
  const int workers = threads();
  const size_t size = piece_size(inputs.size(), workers);
  const auto deliver = [&](std::vector<std::vector<Hypothesis>>&& some, size_t first) {
    for (size_t i = 0; i < some.size(); ++i) found(std::move(some[i]), first + i);
  };
  if (workers == 1 || inputs.size() <= size) return deliver(translator.search(inputs), 0);
  size_t read = 0, done = 0;
  const std::stop_token life = Patience::life();
  ordered_work<size_t, std::vector<std::vector<Hypothesis>>>(
      workers,
      [&]() -> std::optional<size_t> {
        return read < inputs.size() ? std::optional(std::exchange(read, read + size)) : std::nullopt;
      },
      [&](size_t&& first) {
        const ThreadCount one(1);
        const Patience patience(life);
        return translator.search(inputs.subspan(first, std::min(size, inputs.size() - first)));
      },
      [&](std::vector<std::vector<Hypothesis>>&& some) {
        const size_t first = std::exchange(done, done + some.size());
        deliver(std::move(some), first);
      });
}

std::vector<TranslatorInput> inputs_of(std::span<const std::string> sentences) {
  std::vector<TranslatorInput> inputs;
  for (const std::string& sentence : sentences) inputs.push_back({.text = sentence, .number = inputs.size()});
  return inputs;
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
  const Translator translator = translator_of(*folder_, options);
  const std::vector<TranslatorInput> inputs = inputs_of(sentences);
  std::vector<std::string> texts(inputs.size());
  search_all(translator, inputs, [&](std::vector<Hypothesis>&& found, size_t i) {
    texts[i] = translator.text(found[0], inputs[i]);
  });
  return texts;
}

std::vector<std::vector<ModelOutput>> LoadedModel::outputs(std::span<const std::string> sentences,
                                                           const DecodingOptions& options) const {
  const Translator translator = translator_of(*folder_, options);
  const std::vector<TranslatorInput> inputs = inputs_of(sentences);
  std::vector<std::vector<ModelOutput>> all(inputs.size());
  search_all(translator, inputs, [&](std::vector<Hypothesis>&& found, size_t i) {
    for (Hypothesis& each : found) {
      std::string text = translator.text(each, inputs[i]);
      std::vector<std::string> tokens = translator.pieces(each);
      all[i].push_back(output_of(std::move(each), std::move(text), std::move(tokens)));
    }
  });
  return all;
}

void LoadedModel::stream(const std::string& sentence,
                         const std::function<bool(const std::string&)>& show) const {
  translator_of(*folder_, {}).stream({.text = sentence}, show);
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

std::vector<TextLabels> LoadedModel::classify(std::span<const std::vector<std::string>> rows,
                                              int64_t top) const {
  const Classifier classifier = folder_->classifier({.top = top});
  std::vector<ClassifierLine> lines;
  for (const auto& row : rows) {
    if (row.empty() || row.size() > classifier.most_columns())
      throw UsageError(fmt::format("text {}: there are {} columns, but this model reads {}", lines.size() + 1,
                                   row.size(), classifier.most_columns()));
    lines.push_back(classifier.line(row));
  }
  const auto found = classifier.classify(lines);
  std::vector<TextLabels> all(lines.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    all[i].tokens = classifier.pieces(lines[i]);
    for (const Classifier::Labels& labels : found[i]) {
      auto& kept = all[i].labels.emplace_back();
      for (const Label& label : labels) kept.push_back({label.name, std::exp(label.log_p)});
    }
  }
  return all;
}

std::vector<std::vector<FillCandidate>> LoadedModel::fill(const std::string& text, int64_t top) const {
  const Filler filler = folder_->filler({.top = top});
  const FillerLine line = filler.line(0, std::span(&text, 1));
  const auto found = filler.candidates(std::span(&line, 1))[0];
  std::vector<std::vector<FillCandidate>> all(found.size());
  for (size_t mask = 0; mask < found.size(); ++mask)
    for (const auto& [token, log_p] : found[mask])
      all[mask].push_back({.word = filler.text_of(token),
                           .token = filler.piece(token),
                           .probability = std::exp(log_p),
                           .text = filler.text(filler.filled(line, mask, token))});
  return all;
}

TextAnswer LoadedModel::answer(const std::string& question, const std::string& passage) const {
  const AnswerFinder::Question asked{question, passage};
  FoundAnswer found = folder_->answer_finder().find(std::span(&asked, 1))[0];
  return {.text = std::move(found.text), .probability = found.probability, .begin = found.begin};
}

std::vector<NumberRows> LoadedModel::predict(std::span<const std::string> samples) const {
  const Predictor predictor = folder_->predictor();
  std::vector<TokenIds> read;
  for (const std::string& sample : samples) read.push_back(predictor.sample(sample));
  std::vector<NumberRows> all;
  for (PredictedRows& each : predictor.predict(read))
    all.push_back({.rows = each.rows, .columns = each.width, .numbers = std::move(each.numbers)});
  return all;
}

std::vector<EmbeddedText> LoadedModel::embed(std::span<const std::string> texts, int64_t layer) const {
  const Embedder embedder(folder_->model(), layer);
  std::vector<EmbeddedText> all;
  for (const std::string& text : texts) {
    TokenVectors found = embedder.embed(text);
    all.push_back({.tokens = std::move(found.tokens),
                   .size = static_cast<int64_t>(found.vectors.columns),
                   .vectors = std::move(found.vectors.numbers)});
    Patience::check();
  }
  return all;
}

SeenAttention LoadedModel::attend(const std::string& source, const std::optional<std::string>& target,
                                  const DecodingOptions& options) const {
  const AttentionProbe probe = folder_->prober({.search = search_options(*folder_, options)});
  return SeenAttention(std::make_shared<const view::Attention>(probe.look(source, target)));
}

}  // namespace attune
