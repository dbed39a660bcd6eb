#include "train/plan/complete_run.h"

#include <algorithm>

#include "config/yaml.h"
#include "io/checkpoint.h"
#include "models/model_files.h"
#include "train/plan/plan.h"
#include "train/run/run_file.h"
#include "vectors/vector_vocabulary.h"

namespace attune {
namespace {

namespace fs = std::filesystem;

bool has_checkpoints(const fs::path& folder) {
  return !CheckpointFolder(folder / "checkpoints", 1).numbers().empty();
}

// What a plan would choose, as the run that is continued has it; except for its end, which may be another.
Entries former_choice(const RunFile& former, Entries planned) {
  for (Entry& entry : planned) {
    const auto before = std::ranges::find(former.configuration, entry.key, &Entry::key);
    if (before != former.configuration.end() && entry.key != "after") entry = *before;
  }
  return planned;
}

// Rows of numbers count as tokens.
CorpusSize measured(const TrainConfig& config, const Corpus& corpus) {
  CorpusSize size = measure_corpus(corpus);
  if (config.source == SourceKind::text || size.lines == 0) return size;
  constexpr int64_t kSamples = 20;
  const int64_t samples = std::min(kSamples, size.lines);
  const auto rows = make_vector_vocabulary(config, corpus.column(0, 0));
  double tokens = 0;
  for (int64_t i = 0; i < samples; ++i)
    tokens += static_cast<double>(rows->encode(corpus.column(i * size.lines / samples, 0)).size());
  size.source_tokens = tokens / static_cast<double>(samples);
  return size;
}

}  // namespace

std::string complete_run(RunConfig& run, const Corpus& corpus, TrainFrom from, Ranks& ranks) {
  if (!run.leaves_open()) return {};
  Plan plan;
  if (ranks.first()) {
    const CorpusSize size = measured(run.train, corpus);
    plan = run.adapts()
               ? plan_adaptation(run, load_model_files(run.train.pretrained_model).parameters->count(), size,
                                 measure_machine())
               : make_plan(run, size, measure_machine());
    const fs::path folder = run.train.model;
    if (const auto former =
            from == TrainFrom::checkpoint && has_checkpoints(folder) ? read_run_file(folder) : std::nullopt)
      plan = {former_choice(*former, plan.entries), {}};
  }
  run.complete(read_yaml(ranks.broadcast(write_yaml(plan.entries)), "plan"));
  return plan.text;
}

}  // namespace attune
