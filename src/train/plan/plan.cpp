#include "train/plan/plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "base/readable.h"
#include "ops/product/engine.h"

namespace attune {
namespace {

constexpr double kTokensOfParameter = 2.5;               // that a size must see to be worth its time
constexpr double kMostMemory = 0.6;                      // of the machine's
constexpr double kMostEpochs = 100, kShortestTime = 60;  // of a run whose time is not given
constexpr double kSmallestBatch = 200, kLargestBatch = 4000;
constexpr double kBatches = 50;  // of an epoch, at least
constexpr double kValidations = 12;
constexpr double kUpdates = 5000;  // that a run should have, if its batches are not too small for that

// Of a pretrained model: parts of the learning rate of a new one.
constexpr double kAdapting = 1. / 3, kAdaptingByAdapters = 2;
constexpr double kAdaptingTime = 1800, kAdaptingEpochs = 10;  // unless they are given: what ends earlier
constexpr double kAdaptingUpdates = 1000;                     // in that time, if batches are not too small
constexpr double kAdaptingDropout = 0.1;                      // of a model that has none
constexpr int64_t kAdaptingPatience = 4;

std::string time_text(double seconds) {
  const auto whole = static_cast<int64_t>(std::llround(seconds));
  return whole % 60 == 0 ? fmt::format("{}min", whole / 60) : fmt::format("{}s", whole);
}

// Of `time`, or of `after` if that is one; 0: neither is given.
double given_time(const TrainConfig& train) {
  for (const auto& [key, text] : {std::pair{"time", train.time}, {"after", train.after}})
    if (const Period period = read_period(key, text); period && period.unit == Period::Unit::seconds)
      return period.amount;
  return 0;
}

bool is_time_given(const TrainConfig& train) { return given_time(train) > 0; }
double time_of(const TrainConfig& train) { return is_time_given(train) ? given_time(train) : kDefaultTime; }

int64_t vocabulary_size(const CorpusSize& corpus) {
  if (corpus.has_few_words()) return 1000;
  const double tokens = corpus.epoch_tokens();
  const int64_t size = tokens < 2e5   ? 2000
                       : tokens < 1e6 ? 4000
                       : tokens < 2e7 ? 8000
                       : tokens < 2e8 ? 16'000
                                      : 32'000;
  return corpus.unspaced_target ? std::max<int64_t>(size, 8000) : size;
}

// A model computes below the peak of large products: small ones, norms, attention and the optimiser take
// their share, of which kInF32 does not become faster when products are rounded.
double model_flops(const RunConfig& run, int64_t width, const Machine& machine) {
  constexpr double kInF32 = 0.7;
  const double overhead = (static_cast<double>(width) + 100) / (0.75 * static_cast<double>(width)) - 1;
  const bool rounds = !run.given.contains("precision") || chosen(run.train.precision) == Precision::bf16;
  const double products = rounds ? machine.rounded : machine.flops;
  return 1 / ((1 + (1 - kInF32) * overhead) / products + kInF32 * overhead / machine.flops);
}

double dropout(double epochs) { return epochs < 5 ? 0.05 : epochs < 20 ? 0.1 : epochs < 40 ? 0.2 : 0.3; }

double learning_rate(int64_t width) { return 0.003 * std::pow(128.0 / static_cast<double>(width), 0.75); }

// Two figures.
std::string rounded(double number) {
  const double unit = std::pow(10, std::floor(std::log10(number)) - 1);
  return fmt::format("{:.6g}", std::round(number / unit) * unit);
}

std::unique_ptr<ModelConfig> model_of(const RunConfig& run, Size size) {
  auto model = model_config(run.model->type());
  assign([&](FieldSetter& f) { model->fields(f); }, entries_of(fields_of(*run.model)));
  Entries entries = model->of_size(size);
  std::erase_if(entries, [&](const Entry& e) { return run.given.contains(e.key); });
  assign([&](FieldSetter& f) { model->fields(f); }, entries);
  model->validate();
  return model;
}

SizeEstimate estimate(const RunConfig& run, Size size, const CorpusSize& corpus, const Machine& machine) {
  const auto model = model_of(run, size);
  const int64_t words = run.given.contains("vocab_size") ? run.train.vocab_size : vocabulary_size(corpus);
  SizeEstimate e{.size = size, .parameters = count_parameters(*model, {words, words})};
  // Each parameter of a layer costs a multiplication and an addition a token, forwards and twice backwards;
  // of the tables of words only that of the output does.
  constexpr int64_t kNoWords = 16;
  const auto layers = static_cast<double>(count_parameters(*model, {kNoWords, kNoWords}));
  const double work = 6 * (layers + static_cast<double>(words * model->width()));
  e.tokens_per_second = model_flops(run, model->width(), machine) / work;
  e.epochs = e.tokens_per_second * time_of(run.train) / std::max(corpus.epoch_tokens(), 1.0);
  return e;
}

bool fits(const SizeEstimate& size, const CorpusSize& corpus, const Machine& machine) {
  const auto parameters = static_cast<double>(size.parameters);
  return size.epochs * corpus.epoch_tokens() >= kTokensOfParameter * parameters &&
         parameters <= kParametersOfToken * corpus.epoch_tokens() &&
         20 * parameters < kMostMemory * static_cast<double>(machine.memory);
}

const char* name_of(Size size) { return enum_names(size)[static_cast<size_t>(size)]; }

// The size that is asked for, or else the largest that fits.
SizeEstimate choose(const std::string& asked, std::span<const SizeEstimate> sizes, const CorpusSize& corpus,
                    const Machine& machine) {
  SizeEstimate best = sizes.front();
  for (const SizeEstimate& one : sizes) {
    if (asked == name_of(one.size)) return one;
    if (fits(one, corpus, machine)) best = one;
  }
  return best;
}

double number(const Entries& entries, std::string_view key) {
  const auto found = std::ranges::find(entries, key, &Entry::key);
  return found == entries.end() || found->values.empty() ? -1 : std::atof(found->values[0].c_str());
}

}  // namespace

Plan plan_adaptation(const RunConfig& run, int64_t parameters, const CorpusSize& corpus,
                     const Machine& machine) {
  const int64_t width = run.model->width();
  const double tokens_per_second = model_flops(run, width, machine) / (6 * static_cast<double>(parameters)),
               epoch = std::max(corpus.epoch_tokens(), 1.0);
  Plan plan;
  const auto add = [&](const char* key, const std::string& value) {
    if (!run.given.contains(key)) plan.entries.push_back(entry(key, value));
  };
  std::string after = run.train.after;
  const bool timed = is_time_given(run.train);
  const double seconds = timed ? given_time(run.train) : kAdaptingTime;
  if (!run.given.contains("after")) {
    after = timed || tokens_per_second * seconds < kAdaptingEpochs * epoch
                ? time_text(seconds)
                : fmt::format("{:.0f}e", kAdaptingEpochs);
    add("after", after);
  }
  const bool adapters = run.train.lora_rank > 0;
  const std::string rate = rounded(learning_rate(width) * (adapters ? kAdaptingByAdapters : kAdapting)),
                    words = rounded(
                        std::clamp(std::min(tokens_per_second * seconds / kAdaptingUpdates, epoch / kBatches),
                                   kSmallestBatch, kLargestBatch));
  add("precision", "auto");
  add("learning_rate", rate);
  add("mini_batch_words", words);
  const Period end = read_period("after", after);
  if (end) {
    add("lr_schedule", "linear");
    add("lr_warmup", "5%");
    if (end.unit == Period::Unit::seconds)
      add("valid_freq", time_text(std::max(20.0, std::round(end.amount / kValidations))));
    else if (end.unit == Period::Unit::updates)
      add("valid_freq", fmt::format("{:.0f}u", std::max(1.0, std::round(end.amount / kValidations))));
  }
  add("early_stopping", std::to_string(kAdaptingPatience));
  if (number(entries_of(fields_of(*run.model)), "dropout") == 0)
    add("dropout", fmt::format("{}", kAdaptingDropout));
  plan.text = fmt::format("adapting {}{}: {} lines of about {:.0f} tokens", run.train.pretrained_model,
                          adapters ? fmt::format(" by adapters of rank {}", run.train.lora_rank) : "",
                          grouped(corpus.lines), corpus.tokens());
  for (const Entry& entry : plan.entries) plan.text += fmt::format(", {} {}", entry.key, entry.values[0]);
  return plan;
}

Plan make_plan(const RunConfig& run, const CorpusSize& corpus, const Machine& machine) {
  Plan plan;
  for (const Size size : kSizes) plan.sizes.push_back(estimate(run, size, corpus, machine));
  SizeEstimate chosen = choose(run.train.size, plan.sizes, corpus, machine);
  plan.size = chosen.size;
  const auto model = model_of(run, chosen.size);
  double seconds = time_of(run.train);
  if (!is_time_given(run.train) && chosen.epochs > kMostEpochs) {
    seconds = std::max(kShortestTime, seconds * kMostEpochs / chosen.epochs);
    chosen.epochs *= seconds / time_of(run.train);
  }
  const double tokens =
      std::min(chosen.tokens_per_second * seconds / kUpdates, corpus.epoch_tokens() / kBatches);

  plan.entries = model->of_size(chosen.size);
  const bool own_sizes =
      std::ranges::all_of(plan.entries, [&](const Entry& e) { return run.given.contains(e.key); });
  const auto add = [&](const char* key, const std::string& value) {
    plan.entries.push_back(entry(key, value));
  };
  add("precision", "auto");
  add("dropout", fmt::format("{}", dropout(chosen.epochs)));
  if (corpus.has_few_words()) add("vocab_kind", "word");
  add("vocab_size", std::to_string(vocabulary_size(corpus)));
  add("mini_batch_words", rounded(std::clamp(tokens, kSmallestBatch, kLargestBatch)));
  const double rate = learning_rate(model->width());
  add("learning_rate", rounded(rate));
  const bool by_time = run.train.after.empty() || is_time_given(run.train);
  const Period after =
      by_time ? Period{seconds, Period::Unit::seconds} : read_period("after", run.train.after);
  if (after) {
    add("lr_schedule", "linear");
    add("lr_warmup", "8%");
  }
  if (by_time) add("after", time_text(seconds));
  if (by_time) add("valid_freq", time_text(std::max(20.0, std::round(seconds / kValidations))));
  if (after && after.unit == Period::Unit::updates)
    add("valid_freq", fmt::format("{:.0f}u", std::max(1.0, std::round(after.amount / kValidations))));
  std::erase_if(plan.entries, [&](const Entry& e) { return run.given.contains(e.key); });

  plan.text = fmt::format("{}: {} parameters, for {} lines of about {:.0f} tokens",
                          own_sizes ? "sizes as given" : fmt::format("size {}", name_of(chosen.size)),
                          grouped(chosen.parameters), grouped(corpus.lines), corpus.tokens());
  if (by_time)
    plan.text += fmt::format(", {} and {}: about {} epochs", counted(machine.threads, "thread"),
                             duration(seconds), rounded(std::max(chosen.epochs, 0.1)));
  plan.text += own_sizes ? " (change it with --time)" : " (change it with --size or --time)";
  return plan;
}

}  // namespace attune
