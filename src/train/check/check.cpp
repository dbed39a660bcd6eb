#include "train/check/check.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "attune/error.h"
#include "attune/threads.h"
#include "base/readable.h"
#include "train/data/corpora.h"
#include "train/data/examples.h"
#include "train/data/run_vocabularies.h"
#include "train/plan/complete_run.h"
#include "train/pretrained.h"
#include "train/run/run_folder.h"
#include "train/validation.h"

namespace attune {
namespace {

namespace fs = std::filesystem;

// Less is a learning rate where a factor should stand.
constexpr double kSmallestFactor = 0.05;
constexpr int64_t kCoverageLines = 20'000;
// Text with more unknown tokens, or more tokens that are single bytes, deserves a warning.
constexpr double kMuchUnknown = 0.01, kManyBytes = 0.05;

double share(int64_t part, int64_t all) {
  return static_cast<double>(part) / static_cast<double>(std::max<int64_t>(all, 1));
}

class Checking {
 public:
  Checking(RunConfig& run, double seconds) : run_(run), config_(run.train), seconds_(seconds) {}

  CheckReport operator()() {
    report_.type = run_.model->type();
    report_.threads = threads();
    const auto training = open("train_sets", config_.train_sets, config_.train_weights);
    const auto validation = config_.valid_sets.empty() ? nullptr : open("valid_sets", config_.valid_sets, {});
    if (training) report_.training = check_data(*training);
    if (validation) report_.validation = check_data(*validation);
    if (training && validation) compare(*training, *validation);
    if (training && report_.can_start()) attempt([&] { complete(); });
    attempt([&] { look_at_folder(); });
    look_at_learning_rate();
    if (training) attempt([&] { make_vocabularies(*training, validation.get()); });
    if (vocabularies_.source) attempt([&] { check_examples(training.get(), validation.get()); });
    if (vocabularies_.source) attempt([&] { build_model(); });
    std::ranges::stable_sort(report_.findings, {}, &Finding::severity);
    return std::move(report_);
  }

 private:
  template <class Body>
  void attempt(const Body& body) {
    try {
      body();
    } catch (const UsageError& error) {
      add(Severity::error, "configuration", "", error.what());
    }
  }

  void add(Severity severity, std::string kind, std::string where, std::string text) {
    report_.findings.push_back({severity, std::move(kind), std::move(where), std::move(text)});
  }

  void look_at_folder() {
    const fs::path folder = config_.model;
    if (fs::exists(folder) && !fs::is_directory(folder))
      add(Severity::error, "run_folder", folder.string(), "this is a file; the run needs a folder");
    const auto numbers = CheckpointFolder(folder / "checkpoints", 1).numbers();
    if (numbers.empty()) return;
    const std::string changed = changed_configuration(folder, run_.entries());
    if (changed.empty())
      add(Severity::note, "run_folder", folder.string(),
          fmt::format("it contains a run: training will resume after update {}", grouped(numbers.back())));
    else
      add(Severity::error, "run_folder", folder.string(),
          fmt::format("its run was started with a different configuration:{}", changed));
  }

  std::unique_ptr<RawCorpus> open(std::string_view key, const std::vector<std::string>& files,
                                  const std::vector<std::string>& weights) {
    std::unique_ptr<RawCorpus> corpus;
    attempt([&] {
      const TaskColumns columns = run_.model->task().columns();
      auto opened = std::make_unique<RawCorpus>(
          corpus_sources(key, files, reading_of(config_), weights, columns, config_.text_pairs),
          report_.findings);
      if (opened->columns() == 0) return;
      if (opened->columns() < columns.fewest || opened->columns() > columns.most)
        add(Severity::error, "columns", files[0],
            fmt::format("it has {} columns, but this model reads {}", opened->columns(), columns.text()));
      else
        corpus = std::move(opened);
    });
    return corpus;
  }

  DataReport check_data(const RawCorpus& corpus) {
    const bool parallel = run_.model->task().translates();
    return {.columns = corpus.check(config_.replace_invalid_utf8, parallel, report_.findings),
            .lines = corpus.lines(),
            .examples = {}};
  }

  void compare(const RawCorpus& training, const RawCorpus& validation) {
    if (training.columns() != validation.columns())
      return add(Severity::warning, "columns", config_.valid_sets[0],
                 fmt::format("the validation files have {} columns, but the training files have {}",
                             validation.columns(), training.columns()));
    Duplicates& found = report_.duplicates.emplace();
    found.rows = find_shared_lines(training.rows(), validation.rows());
    found.inputs = find_shared_lines(training.column(0), validation.column(0));
    if (found.inputs.count == 0) return;
    const bool whole = found.rows.count > 0;
    const SharedLines& shared = whole ? found.rows : found.inputs;
    const auto amount = [&](int64_t lines) {
      return fmt::format("{} of {} validation lines ({})", grouped(lines), grouped(validation.lines()),
                         percentage(share(lines, validation.lines())));
    };
    std::vector<std::string> places;
    for (const int64_t line : shared.first) places.push_back(validation.where(line));
    std::string text =
        whole ? amount(shared.count) + " are also in the training files"
              : fmt::format("the first column of {} is also in the training files", amount(shared.count));
    text += fmt::format(": {}{}", fmt::join(places, ", "),
                        shared.count > static_cast<int64_t>(places.size()) ? ", ..." : "");
    if (whole && found.inputs.count > found.rows.count)
      text += fmt::format("; the first column of {} is", grouped(found.inputs.count));
    add(Severity::warning, "duplicates", places[0], text);
  }

  void complete() {
    if (!run_.leaves_open()) return;
    const Corpus corpus = training_corpus(config_, run_.model->task());
    plan_ = complete_run(run_, corpus, TrainFrom::checkpoint);
    report_.choice = plan_.text;
  }

  void look_at_learning_rate() {
    if (config_.lr_schedule == ScheduleKind::transformer && config_.learning_rate < kSmallestFactor)
      add(Severity::warning, "learning_rate", "",
          fmt::format(
              "with lr_schedule: transformer, learning_rate is a factor, usually 1 or 2, but it is {}: the "
              "model will hardly learn",
              config_.learning_rate));
  }

  // The plan's estimates count in proportion to that of the size that was measured.
  void compare_sizes() {
    const auto chosen = std::ranges::find(plan_.sizes, plan_.size, &SizeEstimate::size);
    if (chosen == plan_.sizes.end()) return;
    for (const SizeEstimate& one : plan_.sizes) {
      const double speed = one.tokens_per_second / chosen->tokens_per_second;
      report_.sizes.push_back({.size = one.size,
                               .chosen = one.size == plan_.size,
                               .parameters = one.parameters,
                               .tokens_per_second = speed * report_.speed->tokens_per_second(),
                               .epoch = report_.time->epoch / speed});
    }
  }

  void look_at_size() {
    const double tokens = report_.training.examples.epoch_tokens;
    if (static_cast<double>(report_.parameters) > kParametersOfToken * tokens && tokens > 0)
      add(Severity::warning, "size", "",
          fmt::format(
              "{} parameters are many for {} tokens of text; a smaller size learns faster and no worse",
              grouped(report_.parameters), grouped(static_cast<int64_t>(tokens))));
    if (report_.time && report_.time->whole && *report_.time->whole < report_.time->epoch)
      add(Severity::warning, "size", "",
          fmt::format(
              "the run ends within its first epoch, which takes {}; a smaller size sees more of the data",
              duration(report_.time->epoch)));
  }

  void make_vocabularies(const RawCorpus& training, const RawCorpus* validation) {
    const auto plans = plan_vocabularies(config_, run_.model->task(), training.columns());
    std::vector<TextLines> columns;
    for (size_t c = 0; c < training.columns(); ++c) columns.push_back(training.column(c));
    std::vector<std::shared_ptr<const Vocabulary>> found;
    for (const VocabularyPlan& plan : plans) {
      using Origin = VocabularyReport::Origin;
      found.push_back(make_vocabulary(plan, columns));
      const Vocabulary& words = *found.back();
      VocabularyReport& report = report_.vocabularies.emplace_back(
          VocabularyReport{.origin = plan.given      ? Origin::pretrained
                                     : plan.exists() ? Origin::file
                                                     : Origin::made,
                           .path = !plan.given                        ? plan.path
                                   : config_.pretrained_model.empty() ? config_.teacher
                                                                      : config_.pretrained_model,
                           .kind = words.kind(),
                           .size = words.size(),
                           .labels = plan.labels,
                           .training = {},
                           .validation = {}});
      if (plan.vectors || !plan.parts.empty()) continue;
      report.training = coverage(words, training, plan, "training");
      if (validation) report.validation = coverage(words, *validation, plan, "validation");
    }
    vocabularies_ = {found.front(), found.back()};
    run_.model->task().check(vocabularies_);
  }

  Coverage coverage(const Vocabulary& words, const RawCorpus& corpus, const VocabularyPlan& plan,
                    const char* what) {
    Coverage all;
    for (const size_t column : plan.columns) {
      if (column >= corpus.columns()) continue;
      Coverage one = measure_coverage(words, corpus.column(column), kCoverageLines);
      all.lines += one.lines;
      all.of_lines += one.of_lines;
      all.tokens += one.tokens;
      all.unknown += one.unknown;
      all.bytes += one.bytes;
      all.missing.insert(all.missing.end(), one.missing.begin(), one.missing.end());
    }
    std::ranges::stable_sort(all.missing, std::greater(), &std::pair<std::string, int64_t>::second);
    const double unknown = share(all.unknown, all.tokens), bytes = share(all.bytes, all.tokens);
    if (unknown > (plan.labels ? 0 : kMuchUnknown))
      add(Severity::warning, "coverage", plan.path,
          fmt::format("{} of the {} {} are not in this vocabulary", percentage(unknown), what,
                      plan.labels ? "labels" : "tokens"));
    else if (bytes > kManyBytes)
      add(Severity::warning, "coverage", plan.path,
          fmt::format("{} of the {} tokens are bytes of characters that are not in this vocabulary",
                      percentage(bytes), what));
    return all;
  }

  void check_examples(const RawCorpus* training, const RawCorpus* validation) {
    const bool blocks = config_.text_unit == TextReading::stream;  // of which none is too long
    const int64_t limit = blocks ? std::numeric_limits<int64_t>::max() : longest_side(config_, *run_.model);
    const auto look_at = [&](const RawCorpus* corpus, DataReport& data) {
      if (!corpus) return;
      data.examples = attune::check_examples(*corpus, run_.model->task(), vocabularies_, limit);
      report_examples(*corpus, data.examples, limit, report_.findings);
    };
    look_at(training, report_.training);
    look_at(validation, report_.validation);
  }

  void build_model() {
    Learner learner(*run_.model, words_of(vocabularies_), config_);
    report_.parameters = learner.parameters().count();
    const bool averages = config_.exponential_smoothing > 0;
    const int64_t values = learner.parameters().values().size() * static_cast<int64_t>(sizeof(float));
    report_.memory.learner = values * (averages ? 5 : 4);
    report_.memory.machine = machine_memory();
    if (!config_.pretrained_model.empty())
      attempt([&] {
        add(Severity::note, "pretrained_model", "",
            take_pretrained(load_pretrained(config_.pretrained_model), learner.parameters()).text);
      });
    if (!report_.can_start()) return;
    if (!config_.valid_sets.empty()) Validator(config_, *run_.model, vocabularies_);
    const Corpus corpus = training_corpus(config_, run_.model->task());
    const auto guidance = make_guidance(config_, corpus);
    if (seconds_ <= 0) return;
    const Speed speed = measure_speed(run_, corpus, vocabularies_, guidance.get(), learner, seconds_);
    report_.speed = speed;
    report_.time =
        predict_time(read_period("after", config_.after), speed, report_.training.examples.epoch_tokens);
    compare_sizes();
    look_at_size();
    // A validation stores the weights elsewhere while their average is in use.
    report_.memory.predicted = speed.memory + (averages ? values : 0);
    if (*report_.memory.predicted > report_.memory.machine)
      add(Severity::warning, "memory", "",
          fmt::format("training will need {} of memory, but this machine has {}; reduce mini_batch_words",
                      memory_size(*report_.memory.predicted), memory_size(report_.memory.machine)));
    if (!std::isfinite(speed.loss))
      add(Severity::warning, "loss", "", "the loss is not finite, right from the first update");
  }

  RunConfig& run_;
  const TrainConfig& config_;
  double seconds_;
  CheckReport report_;
  Plan plan_;
  Vocabularies vocabularies_;
};

}  // namespace

int64_t CheckReport::count(Severity severity) const {
  return std::ranges::count(findings, severity, &Finding::severity);
}

CheckReport check_run(RunConfig& config, double seconds) {
  if (config.train.cpu_threads > 0) set_threads(static_cast<int>(config.train.cpu_threads));
  return Checking(config, seconds)();
}

}  // namespace attune
