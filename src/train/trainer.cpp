#include "train/trainer.h"

#include <fmt/core.h>

#include <algorithm>

#include "attune/error.h"
#include "attune/threads.h"
#include "base/readable.h"
#include "base/stop_signal.h"
#include "tensor/constants.h"
#include "train/clock.h"
#include "train/data/corpora.h"
#include "train/data/examples.h"
#include "train/data/run_vocabularies.h"
#include "train/data/update_batches.h"
#include "train/gradient_step.h"
#include "train/pretrained.h"
#include "train/run/closing_lines.h"
#include "train/run/left_out_report.h"
#include "train/run/run_folder.h"
#include "train/run/run_logs.h"

namespace attune {
namespace {

constexpr int64_t kSkipsBeforeReturn = 5, kReturnsBeforeGivingUp = 3;
constexpr double kFirstLook = 60;  // seconds

class Training {
 public:
  Training(RunConfig& config, TrainWatcher* watcher, Ranks& ranks, TrainFrom from)
      : run_(config),
        config_(config.train),
        task_(config.model->task()),
        ranks_(ranks),
        watcher_(watcher),
        from_(from),
        signals_({SIGHUP, SIGPIPE, SIGXCPU, SIGXFSZ}),
        folder_(config, ranks),
        console_(watcher != nullptr || !ranks.first()),
        corpus_(training_corpus(config_, task_)),
        choice_(complete_run(config, corpus_, from, ranks)),
        plans_(vocabulary_plans()),
        vocabularies_(shared(ranks.first() ? own_vocabularies() : Vocabularies{}, ranks)),
        guidance_(make_guidance(config_, corpus_)),
        examples_(training_examples(config_, *config.model, corpus_, vocabularies_, guidance_.get())),
        learner_(*config.model, words_of(vocabularies_), config_, ranks),
        validator_(config_.valid_sets.empty()
                       ? nullptr
                       : std::make_unique<Validator>(config_, *config.model, vocabularies_, ranks)),
        schedule_(config.schedule()),
        periods_(config_.periods()) {
    task_.check(vocabularies_);
  }

  TrainEnd operator()() {
    begin();
    start();
    try {
      return train();
    } catch (const std::exception&) {
      save_before_failing();
      throw;
    }
  }

 private:
  TrainEnd train() {
    for (;; whole_or_not([&] { one_update(); })) {
      whole_or_not([&] { catch_up(); });
      if (done()) break;
      if (ranks_.any(StopSignal::asked())) return interrupted();
    }
    finish();
    return TrainEnd::finished;
  }

  // After an error the state is as it was before the update, and the logs count up to there.
  template <class Step>
  void whole_or_not(const Step& step) {
    const TrainState before = state_;
    try {
      step();
      if (logs_) logs_->note_sizes(state_);
    } catch (const std::exception&) {
      if (state_.progress.updates == before.progress.updates) state_ = before;
      throw;
    }
  }

  // Everything has been checked: from here on files are written.
  void begin() {
    if (from_ == TrainFrom::anew) folder_.forget();
    changes_ = folder_.compare(vocabularies_, say());
    if (ranks_.first()) {
      folder_.begin(plans_, vocabularies_, validator_ ? "best-" + validator_->metrics()[0] : "last");
      console_.keep_in(folder_.path() / "train.log");
      report_left_out(folder_.path(), config_, corpus_,
                      validator_ ? validator_->corpora() : std::vector<const Corpus*>(), say());
    }
    folder_.set_columns(corpus_.columns());
    if (run_.adapts()) folder_.set_decoding(load_model_files(config_.pretrained_model).decoding);
  }

  std::vector<VocabularyPlan> vocabulary_plans() const {
    if (!ranks_.first()) return {};
    auto plans = plan_vocabularies(config_, task_, corpus_.columns());
    if (from_ == TrainFrom::anew || !folder_.has_checkpoints()) folder_.disown(plans);
    return plans;
  }

  Vocabularies own_vocabularies() {
    if (!choice_.empty()) console_.line(choice_);
    return run_vocabularies(plans_, columns_of(corpus_), say());
  }
  Say say() {
    return [this](const std::string& text) { console_.line(text); };
  }

  void start() {
    const char* unit = config_.text_unit == TextReading::line ? "line" : "paragraph";
    console_.line(fmt::format("{}, {} parameters, {}", counted(corpus_.lines(), unit),
                              grouped(learner_.parameters().count()), counted(threads(), "thread")));
    for (const auto& text : {pairs_hint(config_, corpus_, task_), validator_ ? validator_->choice() : ""})
      if (!text.empty()) console_.line(text);
    if (const auto hosts = ranks_.gather(host_name()); !ranks_.alone())
      console_.line(fmt::format("{} ranks, {} batches per update: {}", ranks_.size(), batches_an_update(),
                                who_is_who(hosts)));
    if (folder_.restore(learner_, state_, say())) {
      console_.line(state_.finished
                        ? fmt::format("this run finished after update {}", state_.progress.updates)
                        : fmt::format("resuming after update {}", state_.progress.updates));
      state_.finished = false;
      if (batches_an_update() != state_.batches_an_update)
        console_.line(fmt::format("an update now has {} batches instead of {}", batches_an_update(),
                                  state_.batches_an_update));
      if (changes_.learning_rate) state_.rate_factor = 1;
      if (changes_.steps) state_.returns = state_.skipped_in_a_row = 0;
      note_ranks();
      if (!std::exchange(state_.behind, false)) count_periods();
    } else {
      if (run_.adapts()) {
        const Taken taken = take_pretrained(load_pretrained(config_.pretrained_model), learner_.parameters());
        console_.line(taken.text);
        state_.pretrained = taken.whole;
      }
      learner_.share_values();
      note_ranks();
      save(Saving::regular);  // there is always a checkpoint to return to
    }
    open_logs();
    read_from(state_.position);
    if (watcher_ != nullptr) watcher_->started(learner_.parameters().count());
  }

  void open_logs() {
    if (ranks_.first())
      logs_ = std::make_unique<RunLogs>(console_, run_, vocabularies_, corpus_.columns(), learner_.model(),
                                        state_);
  }

  // What the logs say up to a checkpoint is on disk before the checkpoint is.
  void save(Saving why) {
    if (logs_) logs_->note_sizes(state_);
    write(why);
  }

  void write(Saving why) {
    const Clock clock;
    if (logs_) logs_->sync();
    console_.sync();
    folder_.save(learner_, state_, why);
    count_time(clock);
  }

  // Weights whose last updates were not finite are not worth saving.
  bool worth_saving() const {
    return state_.saved != state_.progress.updates && state_.skipped_in_a_row == 0;
  }

  // With several ranks nobody knows whether the others have failed too.
  void save_before_failing() {
    if (!ranks_.alone() || !worth_saving()) return;
    try {
      state_.behind = true;
      write(Saving::stop);
      console_.line(fmt::format("update {} is saved", state_.progress.updates));
    } catch (const std::exception&) {  // the first error is the one to report
    }
  }

  int64_t batches_an_update() const { return ranks_.size() * config_.optimizer_delay; }

  void note_ranks() {
    state_.ranks = ranks_.size();
    state_.batches_an_update = batches_an_update();
  }

  void read_from(const BatchPosition& position) {
    reader_.emplace(examples_, batch_options(config_, *run_.model), position);
  }

  bool done() const { return share_done() >= 1 || stalled(); }
  bool stalled() const {
    return validator_ && config_.early_stopping > 0 && state_.stalled >= config_.early_stopping;
  }

  // Negative: the run has no end.
  double share_done() const { return periods_.after ? periods_.after.share(state_.progress) : -1; }

  double rate() const { return state_.rate_factor * schedule_.at(state_.progress); }

  void one_update() {
    const Clock clock;
    if (!add_batches()) return;
    state_.shown_rate = rate();
    const Learner::Update update = learner_.update(state_.shown_rate);
    const double seconds = count_time(clock);
    state_.shown_seconds += seconds;
    state_.shown_exchange += update.exchange.under_way;
    state_.shown_waiting += update.exchange.waiting;
    state_.shown_norm = update.norm;
    if (!update.finite) return skipped(update);
    state_.skipped_in_a_row = 0;
    ++state_.progress.updates;
    state_.progress.tokens += update.sums.tokens;
    state_.shown += update.sums;
    if (logs_) logs_->reporter.live(state_, share_done());
    if (watcher_ != nullptr) watcher_->updated(state_.progress, share_done());
  }

  // All ranks go by rank 0's clock.
  double count_time(const Clock& clock) {
    double seconds = ranks_.first() ? clock.seconds() : 0;
    ranks_.sum({&seconds, 1});
    state_.progress.seconds += seconds;
    return seconds;
  }

  // False if there were none: all the remaining lines of the epoch were left out.
  bool add_batches() {
    const UpdateBatches batches = next_batches(*reader_, state_.batches, batches_an_update(), ranks_);
    for (const auto& [number, examples] : batches.own)
      gradient_step(learner_, examples, task_, vocabularies_, config_, number,
                    number == batches.own.back().first);
    state_.batches += batches.count;
    state_.position = reader_->position();
    if (batches.ends_epoch) ++state_.progress.epochs;
    state_.progress.share_of_epoch = reader_->share_of_epoch();
    return batches.count > 0;
  }

  // Does what is due after an update. Each task is counted when it is done, so that one that failed is
  // repeated.
  void catch_up() {
    if (periods_.display.passed(state_.progress) != state_.displays) {
      if (logs_) logs_->reporter.training(state_, share_done());
      state_.shown = {};
      state_.shown_seconds = state_.shown_exchange = state_.shown_waiting = 0;
      state_.displays = periods_.display.passed(state_.progress);
    }
    if (validation_is_due()) {
      validate();
      state_.validations = periods_.validation.passed(state_.progress);
    }
    if (const int64_t passed = periods_.saving.passed(state_.progress);
        passed != state_.saves && state_.skipped_in_a_row == 0) {
      state_.saves = passed;
      save(Saving::regular);
    }
  }

  // What is set up wrongly shows after a minute, not after the first period of valid_freq; what a pretrained
  // model can do shows before the first update.
  bool validation_is_due() const {
    if (!validator_ || !periods_.validation) return false;
    const bool first_look =
        state_.validated == TrainState::kNone && (state_.pretrained || state_.progress.seconds >= kFirstLook);
    return first_look || periods_.validation.passed(state_.progress) != state_.validations;
  }

  // A period whose length was changed starts now.
  void count_periods() {
    state_.displays = periods_.display.passed(state_.progress);
    state_.validations = periods_.validation.passed(state_.progress);
    state_.saves = periods_.saving.passed(state_.progress);
  }

  void skipped(const Learner::Update& update) {
    ++state_.skipped;
    console_.line(fmt::format("update {} was skipped: its loss is {} and its gradient norm is {}",
                              state_.progress.updates + 1, update.sums.loss, update.norm));
    if (++state_.skipped_in_a_row < kSkipsBeforeReturn) return;
    const int64_t returns = state_.returns + 1;
    if (returns > kReturnsBeforeGivingUp)
      throw Error(stuck_text(state_.progress.updates, kReturnsBeforeGivingUp));
    const double factor = state_.rate_factor * 0.5;
    if (!folder_.restore(learner_, state_, say())) throw Error("there is no checkpoint to return to");
    note_ranks();
    state_.returns = returns;
    state_.rate_factor = factor;
    console_.line(fmt::format(
        "{} updates in a row were not finite: returning to update {}, with {} times the learning rate",
        kSkipsBeforeReturn, state_.progress.updates, factor));
    open_logs();
    save(Saving::stop);
    read_from(state_.position);
  }

  void validate() {
    const Clock clock;
    learner_.with_average([&] {
      const Frozen weights(learner_.parameters());
      const Validation result = (*validator_)(learner_.model());
      for (const std::string& metric : state_.take(result))
        folder_.save_model("best-" + metric, learner_, vocabularies_, state_);
      if (logs_) logs_->validation(state_, result, clock.seconds());
      if (watcher_ != nullptr) watcher_->validated(state_.progress, result);
    });
    count_time(clock);
    if (config_.lr_schedule == ScheduleKind::plateau && state_.plateau > config_.lr_patience) {
      state_.plateau = 0;
      state_.rate_factor *= config_.lr_factor;
      console_.line(fmt::format("no improvement: the learning rate is now {:.3e}", rate()));
    }
  }

  void save_last() {
    learner_.with_average([&] { folder_.save_model("last", learner_, vocabularies_, state_); });
  }

  TrainEnd interrupted() {
    if (worth_saving()) save(Saving::stop);
    if (state_.best.empty() && state_.progress.updates > 0) save_last();
    for (const auto& line : interrupted_lines(folder_.path(), state_, validator_ != nullptr))
      console_.line(line);
    return TrainEnd::interrupted;
  }

  void finish() {
    if (validator_ && periods_.validation && state_.validated != state_.progress.updates) validate();
    state_.finished = true;
    save(Saving::end);
    save_last();
    if (config_.average_last > 0) average();
    for (const auto& line : finished_lines(folder_.path(), state_, stalled())) console_.line(line);
  }

  void average() {
    const int64_t count = folder_.average(learner_, config_.average_last, say());
    folder_.save_model("average", learner_, vocabularies_, state_);
    console_.line(fmt::format("the mean of the last {} checkpoints is in {}/average", count, config_.model));
    if (!validator_) return;
    const Clock clock;
    const Validation result = (*validator_)(learner_.model());
    if (logs_) logs_->reporter.validation(state_, result, clock.seconds(), "average");
  }

  RunConfig& run_;
  const TrainConfig& config_;
  const Task& task_;
  Ranks& ranks_;
  TrainWatcher* watcher_;
  TrainFrom from_;
  StopSignal signals_;
  RunFolder folder_;
  Console console_;
  Corpus corpus_;
  std::string choice_;  // of what the configuration leaves open
  std::vector<VocabularyPlan> plans_;
  Vocabularies vocabularies_;
  std::unique_ptr<const Guidance> guidance_;
  std::shared_ptr<const ExampleSource> examples_;
  Learner learner_;
  std::unique_ptr<Validator> validator_;
  Schedule schedule_;
  RunPeriods periods_;
  RunFolder::Changes changes_;
  TrainState state_;
  std::unique_ptr<RunLogs> logs_;
  std::optional<BatchReader> reader_;
};

}  // namespace

TrainEnd train(RunConfig& config, TrainWatcher* watcher, Ranks& ranks, TrainFrom from) {
  const int fair = fair_threads(ranks);
  set_threads(config.train.cpu_threads > 0 ? static_cast<int>(config.train.cpu_threads) : fair);
  return Training(config, watcher, ranks, from)();
}

}  // namespace attune
