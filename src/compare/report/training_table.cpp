#include "compare/report/training_table.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/readable.h"

namespace attune::compare {
namespace {

constexpr double kSameTokens =
    1.05;  // seeds and vocabularies alone make batches that differ by a few percent

struct Range {
  double low = 0, high = 0;
};

template <class Value>
Range range_of(const std::vector<const RunResult*>& runs, const Value& value) {
  const auto [low, high] = std::ranges::minmax(runs, {}, [&](const RunResult* run) { return value(*run); });
  return {static_cast<double>(value(*low)), static_cast<double>(value(*high))};
}

int64_t updates_of(const RunResult& run) { return run.training.updates; }

bool any_early(const ModelResult& model) {
  return std::ranges::any_of(model.runs, [](const RunResult& run) { return run.outcome.stopped_early; });
}

std::string run_name(const ModelResult& model, const RunResult& run) {
  return model.runs.size() == 1 ? model.name : fmt::format("{}, seed {}", model.name, run.seed);
}

std::string count(double number) { return grouped(static_cast<int64_t>(number)); }

}  // namespace

Table training_table(const Results& results) {
  Table table;
  table.head = {"model",    "updates",        "target tokens",   "training time",
                "ended by", "compared model", "epochs until it", "chosen as"};
  for (const ModelResult& model : results.models)
    for (const RunResult& run : model.runs)
      table.rows.push_back({run_name(model, run), grouped(run.training.updates), grouped(run.training.tokens),
                            duration(run.training.seconds),
                            run.outcome.stopped_early ? "early_stopping" : "budget",
                            "update " + grouped(run.outcome.updates),
                            fmt::format("{:.1f}", run.outcome.epochs), run.outcome.rule});
  return table;
}

std::string trained_for(const ModelResult& model) {
  const auto [low, high] = std::ranges::minmax(model.runs, {}, updates_of);
  const std::string least =
      low.training.updates == high.training.updates ? "" : grouped(low.training.updates) + "–";
  return fmt::format("{}{} updates{}", least, grouped(high.training.updates),
                     any_early(model) ? " (stopped early)" : "");
}

Both unequal_training(const Results& results) {
  std::vector<const RunResult*> runs;
  std::vector<std::string> early;
  for (const ModelResult& model : results.models) {
    for (const RunResult& run : model.runs) runs.push_back(&run);
    if (any_early(model)) early.push_back(model.name);
  }
  const Range updates = range_of(runs, updates_of),
              tokens = range_of(runs, [](const RunResult&run) { return run.training.tokens; }),
              seconds = range_of(runs, [](const RunResult&run) { return run.training.seconds; });
  if (early.empty() && updates.low == updates.high && tokens.high <= kSameTokens * tokens.low) return {};
  const std::string numbers[] = {count(updates.low), count(updates.high),   count(tokens.low),
                                 count(tokens.high), duration(seconds.low), duration(seconds.high)};
  Both text{fmt::format("Not all models trained equally long: they made {} to {} updates and read {} to {} "
                        "target tokens in {} to {}.",
                        numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]),
            fmt::format("各模型的训练量并不相同：更新 {} 到 {} 次，读入 {} 到 {} 个目标词元，用时 {} 到 {}。",
                        numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5])};
  if (!early.empty()) {
    text.en +=
        fmt::format(" Stopped by early_stopping before the end of the budget: {}.", fmt::join(early, "; "));
    text.zh += fmt::format("预算用完之前就被 early_stopping 停止的：{}。", fmt::join(early, "；"));
  }
  return {text.en + " Differences between scores may come from this.", text.zh + "分数的差异可能由此而来。"};
}

}  // namespace attune::compare
