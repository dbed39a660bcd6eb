// Engine: texts in, translations out, through the models that are served now. Handlers share one.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "serve/engine/batch_queue.h"
#include "serve/engine/budget.h"
#include "serve/engine/run_places.h"
#include "serve/engine/served_model.h"
#include "serve/engine/translation_cache.h"
#include "serve/markup/cut_document.h"

namespace attune::serve {

struct EngineOptions {
  std::vector<ModelPlace> models;
  std::vector<RunPlace> runs = {};
  Entries search = {};  // what the command line says; it wins over the folders
  Precision precision = Precision::f32;
  QueueOptions queue = {};
  int64_t characters = 10'000;     // of a text
  size_t answer_bytes = 16 << 20;  // of an answer with n-best lists and alignments
  size_t held_bytes = 64 << 20;    // of the sentences of all requests under way, with their outputs
  std::chrono::milliseconds patience{2'000};  // with others who hold what a request needs
  std::chrono::milliseconds time_limit{30'000};
  size_t cache_bytes = 0;
  bool keys_needed = false;  // as clients are told
};

struct TextFormat {
  bool html = false;  // tags keep their places
};

// A text, and for each of its sentences the outputs, best first.
struct TranslatedText {
  TextFormat format;
  std::vector<CutLine> lines;
  std::vector<std::vector<Hypothesis>> outputs = {};  // none before it is translated
  std::shared_ptr<void> held = {};                    // its part of what may be under way

  std::vector<const CutPart*> sentences() const;
  // The text out of the outputs of one rank, or the best ones where there are fewer.
  std::string text(const ServedModel& model, size_t rank) const;
};

class Engine {
 public:
  Engine(const EngineOptions& options, Metrics& metrics);

  const EngineOptions& options() const { return options_; }
  std::shared_ptr<const ModelTable> table() const;
  // Loads all folders again. If one cannot be loaded, that is thrown and all stays as it is.
  void reload() { set_table(load_table()); }
  // The two halves of it.
  std::shared_ptr<const ModelTable> load_table() const;
  void set_table(std::shared_ptr<const ModelTable> table);

  using Time = BatchQueue::Time;
  Time deadline() const { return std::chrono::steady_clock::now() + options_.time_limit; }
  // An HttpRefusal if one is longer than a text may be. Handlers ask before they do anything with texts.
  void require_length(const std::vector<std::string>& texts) const;
  // For work outside of the queue: a core as long as somebody holds it. An HttpRefusal with 503 if all are
  // taken.
  std::shared_ptr<void> take_core();
  // In order. An HttpRefusal if too much waits or is under way, or the time is over.
  std::vector<TranslatedText> translate(const ModelTable::Model& model, const SearchKind& kind,
                                        const std::vector<std::string>& texts,
                                        const TextFormat& format = {}) {
    return translate(model, kind, cut(*model, texts, format));
  }
  // The two halves of it.
  std::vector<TranslatedText> cut(const ServedModel& model, const std::vector<std::string>& texts,
                                  const TextFormat& format = {});
  std::vector<TranslatedText> translate(const ModelTable::Model& model, const SearchKind& kind,
                                        std::vector<TranslatedText> texts);

 private:
  // Of what all requests may hold together. An HttpRefusal with 503 if there is not so much in time.
  std::shared_ptr<void> hold(size_t bytes, std::chrono::milliseconds patience);
  BatchQueue::Outputs outputs_of(const ModelTable::Model& model, const SearchKind& kind,
                                 const std::vector<const CutPart*>& sentences);

  EngineOptions options_;
  Metrics& metrics_;
  TranslationCache cache_;
  Budget cores_, held_;
  mutable std::mutex mutex_;
  std::shared_ptr<const ModelTable> table_;
  BatchQueue queue_;
};

}  // namespace attune::serve
