#include "serve/engine/engine.h"

#include <fmt/core.h>

#include <algorithm>

#include "serve/http/http_message.h"
#include "serve/markup/marked_output.h"
#include "text/placeholders.h"
#include "text/utf8.h"

namespace attune::serve {
namespace {

constexpr int kRetrySeconds = 2;
constexpr size_t kCutting = 256;  // bytes for each of a text that is cut: two of them may be a sentence

// What a sentence holds: itself, its places, and each output, whose words and weights may be as many as the
// search allows.
size_t bytes_of(const ServedModel& model, const SearchKind& kind, const CutPart& sentence) {
  constexpr size_t kSentence = 1024, kOutput = 256, kWord = 16;
  const size_t tokens = sentence.tokens.size();
  const auto words = static_cast<size_t>(model.options().longest(static_cast<int64_t>(tokens)));
  const size_t weights = kind.alignment ? words * tokens * sizeof(float) : 0;
  return kSentence + sentence.text.size() +
         static_cast<size_t>(kind.n_best) * (kOutput + words * kWord + weights);
}

bool has_marks(const TranslatedText& text) {
  const auto marked = [](const CutLine& line) {
    return std::ranges::any_of(line.marks, [](const auto& marks) { return !marks.empty(); });
  };
  return std::ranges::any_of(text.lines, marked) ||
         std::ranges::any_of(text.sentences(), [](const CutPart* sentence) {
           return !find_placeholders(sentence->text).empty();
         });
}

BatchQueue::Sentences tokens_of(const std::vector<const CutPart*>& sentences) {
  BatchQueue::Sentences tokens;
  for (const CutPart* sentence : sentences) tokens.push_back(sentence->tokens);
  return tokens;
}

}  // namespace

std::vector<const CutPart*> TranslatedText::sentences() const {
  std::vector<const CutPart*> all;
  for (const CutLine& line : lines)
    for (const CutPart& part : line.parts) all.push_back(&part);
  return all;
}

std::string TranslatedText::text(const ServedModel& model, size_t rank) const {
  std::vector<std::string> texts;
  for (const CutLine& line : lines)
    for (size_t part = 0; part < line.parts.size(); ++part) {
      const size_t i = texts.size();
      const Hypothesis& output = outputs[i][rank < outputs[i].size() ? rank : 0];
      texts.push_back(marked_text(
          model.plain(),
          {line.parts[part], line.marks.empty() ? std::vector<MarkupSpan>() : line.marks[part], format.html},
          output));
    }
  return join_document(lines, texts);
}

Engine::Engine(const EngineOptions& options, Metrics& metrics)
    : options_(options),
      metrics_(metrics),
      cache_(options.cache_bytes),
      cores_(static_cast<size_t>(std::max<int64_t>(1, options.queue.workers))),
      held_(options.held_bytes),
      table_(load_table()),
      queue_(options.queue, metrics) {}

std::shared_ptr<const ModelTable> Engine::table() const {
  const std::lock_guard lock(mutex_);
  return table_;
}

std::shared_ptr<const ModelTable> Engine::load_table() const {
  return std::make_shared<const ModelTable>(options_.models, options_.search, options_.precision);
}

void Engine::set_table(std::shared_ptr<const ModelTable> table) {
  const std::lock_guard lock(mutex_);
  table_.swap(table);
}

void Engine::require_length(const std::vector<std::string>& texts) const {
  for (const std::string& text : texts) {
    const size_t characters = count_code_points(text);
    if (characters > static_cast<size_t>(options_.characters))
      throw HttpRefusal(400, fmt::format("Invalid request: request ({}) exceeds text limit ({})", characters,
                                         options_.characters));
  }
}

std::shared_ptr<void> Engine::take_core() {
  auto core = cores_.take(1, std::chrono::steady_clock::now() + options_.patience);
  if (core == nullptr) throw HttpRefusal(503, "all cores are writing; try again later", kRetrySeconds);
  return core;
}

std::shared_ptr<void> Engine::hold(size_t bytes, std::chrono::milliseconds patience) {
  auto held = held_.take(bytes, std::chrono::steady_clock::now() + patience);
  if (held == nullptr) throw HttpRefusal(503, "too much is under way; try again later", kRetrySeconds);
  return held;
}

std::vector<TranslatedText> Engine::cut(const ServedModel& model, const std::vector<std::string>& texts,
                                        const TextFormat& format) {
  size_t bytes = 0;
  for (const std::string& text : texts) bytes += kCutting * text.size();
  const auto held = hold(bytes, options_.patience);
  const auto tokens = [&](const std::string& part) { return model.plain().tokens(part); };
  const auto cut = format.html ? cut_html_document : cut_document;
  std::vector<TranslatedText> results;
  for (const std::string& text : texts)
    results.push_back({.format = format, .lines = cut(text, model.longest_part(), tokens), .held = held});
  return results;
}

std::vector<TranslatedText> Engine::translate(const ModelTable::Model& model, const SearchKind& kind,
                                              std::vector<TranslatedText> texts) {
  SearchKind wanted = kind;
  std::vector<const CutPart*> sentences;
  for (TranslatedText& text : texts) {
    const auto more = text.sentences();
    sentences.insert(sentences.end(), more.begin(), more.end());
    wanted.alignment = wanted.alignment || (model->attends() && has_marks(text));
    text.held.reset();
  }
  size_t bytes = 0;
  for (const CutPart* sentence : sentences) bytes += bytes_of(*model, wanted, *sentence);
  const auto held = hold(bytes, {});  // at once or not at all: what was cut waits for nobody
  auto outputs = outputs_of(model, wanted, sentences);
  auto next = outputs.begin();
  for (TranslatedText& text : texts) {
    const auto end = next + std::ssize(text.sentences());
    text.outputs.assign(std::make_move_iterator(next), std::make_move_iterator(end));
    next = end;
    text.held = held;
  }
  return texts;
}

BatchQueue::Outputs Engine::outputs_of(const ModelTable::Model& model, const SearchKind& kind,
                                       const std::vector<const CutPart*>& sentences) {
  if (!cache_.on() || kind.alignment || model->is_edited())
    return queue_.translate(model, kind, tokens_of(sentences), deadline());
  BatchQueue::Outputs outputs(sentences.size());
  std::vector<size_t> places;
  std::vector<const CutPart*> unknown;
  for (size_t i = 0; i < sentences.size(); ++i) {
    if (auto known = cache_.find({model->id(), kind.n_best, sentences[i]->text})) {
      outputs[i] = std::move(*known);
    } else {
      places.push_back(i);
      unknown.push_back(sentences[i]);
    }
  }
  metrics_.cache(sentences.size() - unknown.size(), unknown.size());
  auto found = queue_.translate(model, kind, tokens_of(unknown), deadline());
  for (size_t i = 0; i < places.size(); ++i) {
    cache_.add({model->id(), kind.n_best, unknown[i]->text}, found[i]);
    outputs[places[i]] = std::move(found[i]);
  }
  return outputs;
}

}  // namespace attune::serve
