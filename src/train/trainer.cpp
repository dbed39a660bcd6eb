#include "train/trainer.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "attune/error.h"
#include "attune/threads.h"
#include "base/readable.h"
#include "tensor/constants.h"
#include "train/feed.h"
#include "train/guidance.h"
#include "train/pretrained.h"
#include "train/reporter.h"
#include "train/run_folder.h"
#include "train/stop_signal.h"
#include "train/validation_log.h"
#include "train/vocabularies.h"

namespace attune {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kSkipsBeforeReturn = 5, kReturnsBeforeGivingUp = 3;

class Clock {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

Schedule schedule_of(const TrainConfig& config, const ModelConfig& model) {
  const Period end = read_period("lr_end", config.lr_end.empty() ? config.after : config.lr_end);
  return {.kind = config.lr_schedule,
          .rate = config.learning_rate,
          .warmup = static_cast<int64_t>(read_period("lr_warmup", config.lr_warmup).amount),
          .end = static_cast<int64_t>(end.amount),
          .width = model.width()};
}

class Training {
 public:
  Training(RunConfig& config, TrainWatcher* watcher, Ranks& ranks)
      : run_(config),
        config_(config.train),
        ranks_(ranks),
        watcher_(watcher),
        folder_(config, ranks),
        console_(ranks.first() ? folder_.path() / "train.log" : fs::path(),
                 watcher != nullptr || !ranks.first()),
        corpus_(training_corpus(config_, config.model->task())),
        vocabularies_(vocabularies()),
        task_(make_task(config.model->task(), vocabularies_)),
        guidance_(make_guidance(config_, corpus_, vocabularies_)),
        learner_(*config.model, {vocabularies_.source->size(), vocabularies_.target->size()}, config_, ranks),
        validator_(config_.valid_sets.empty()
                       ? nullptr
                       : std::make_unique<Validator>(config_, *config.model, vocabularies_, *task_, ranks)),
        schedule_(schedule_of(config_, *config.model)),
        after_(read_period("after", config_.after)),
        valid_freq_(read_period("valid_freq", config_.valid_freq)),
        save_freq_(read_period("save_freq", config_.save_freq)),
        disp_freq_(read_period("disp_freq", config_.disp_freq)) {}

  TrainEnd operator()() {
    folder_.keep_config();
    folder_.set_columns(corpus_.columns());
    start();
    while (!done()) {
      if (any(StopSignal::asked())) return interrupted();
      one_update();
    }
    finish();
    return TrainEnd::finished;
  }

 private:
  bool any(bool mine) {
    double count = mine ? 1 : 0;
    ranks_.sum({&count, 1});
    return count > 0;
  }

  // Rank 0 has or makes them and tells the others.
  Vocabularies vocabularies() {
    const Vocabularies own = ranks_.first() ? own_vocabularies() : Vocabularies{};
    if (ranks_.alone()) return own;
    const bool joint = !ranks_.broadcast(own.source && own.joint() ? "joint" : "").empty();
    const auto shared = [&](const std::shared_ptr<const Vocabulary>& vocabulary) {
      const std::string content = ranks_.broadcast(vocabulary ? vocabulary->serialized() : "");
      return vocabulary ? vocabulary : parse_vocabulary(content, "the vocabulary of rank 0");
    };
    const auto source = shared(own.source);
    return {source, joint ? source : shared(own.target)};
  }

  Vocabularies own_vocabularies() {
    std::vector<TextLines> columns;
    for (size_t c = 0; c < corpus_.columns(); ++c) columns.push_back(column_of(corpus_, c));
    return run_vocabularies(plan_vocabularies(config_, run_.model->task(), corpus_.columns()), columns,
                            say());
  }
  Say say() {
    return [this](const std::string& text) { console_.line(text); };
  }

  void start() {
    console_.line(fmt::format("{} lines, {} parameters, {} threads", corpus_.lines(),
                              learner_.parameters().count(), threads()));
    if (const auto hosts = ranks_.gather(host_name()); !ranks_.alone())
      console_.line(fmt::format("{} ranks, {} batches an update: {}", ranks_.size(), batches_an_update(),
                                who_is_who(hosts)));
    if (folder_.restore(learner_, state_, say())) {
      console_.line(state_.finished
                        ? fmt::format("this run was finished after update {}", state_.progress.updates)
                        : fmt::format("resuming after update {}", state_.progress.updates));
      state_.finished = false;
      if (batches_an_update() != state_.batches_an_update)
        console_.line(fmt::format("an update has {} batches now instead of {}", batches_an_update(),
                                  state_.batches_an_update));
      note_ranks();
    } else {
      if (!config_.pretrained_model.empty() && ranks_.first())
        console_.line(take_pretrained(config_.pretrained_model, learner_.parameters()));
      learner_.share_values();
      note_ranks();
      folder_.save(learner_, state_);  // there is always one to return to
    }
    if (ranks_.first()) {
      reporter_ = std::make_unique<Reporter>(console_, config_, state_);
      validations_ = std::make_unique<ValidationLog>(run_, vocabularies_, corpus_.columns(), learner_.model(),
                                                     state_.progress.updates);
    }
    read_from(state_.position);
    if (watcher_ != nullptr) watcher_->started(learner_.parameters().count());
  }

  int64_t batches_an_update() const { return ranks_.size() * config_.optimizer_delay; }

  void note_ranks() {
    state_.ranks = ranks_.size();
    state_.batches_an_update = batches_an_update();
  }

  void read_from(const BatchPosition& position) {
    reader_.emplace(corpus_, make_examples(*task_, guidance_.get()), training_batches(config_, *run_.model),
                    position);
  }

  bool done() const {
    if (after_ && after_.of(state_.progress) >= after_.amount) return true;
    return validator_ && config_.early_stopping > 0 && state_.stalled >= config_.early_stopping;
  }

  double share_done() const { return after_ ? after_.of(state_.progress) / after_.amount : -1; }

  double rate() const { return state_.rate_factor * schedule_.at(state_.progress.updates + 1); }

  // So many batches as optimizer_delay says, for each rank; fewer at the end of an epoch. Rank r of n takes
  // every n-th from the r-th on, so that the ranks together go through the epoch in the order of one.
  void one_update() {
    const Clock clock;
    int64_t added = 0;
    bool epoch_ended = false;
    std::vector<std::pair<int64_t, TokenBatch>> own;  // with their numbers
    while (added < batches_an_update() && !epoch_ended) {
      if (auto tokens = reader_->next()) {
        if (added % ranks_.size() == ranks_.rank()) own.emplace_back(state_.batches, std::move(*tokens));
        ++state_.batches;
        ++added;
      } else {
        epoch_ended = true;
      }
    }
    for (size_t i = 0; i < own.size(); ++i)
      feed(learner_, own[i].second, *task_, vocabularies_, config_, own[i].first, i + 1 == own.size());
    state_.position = reader_->position();
    if (epoch_ended) ++state_.progress.epochs;
    if (added > 0) {
      const double rate = this->rate();
      const Learner::Update update = learner_.update(rate);
      double seconds = ranks_.first() ? clock.seconds() : 0;  // rank 0's clock is that of all
      ranks_.sum({&seconds, 1});
      state_.progress.seconds += seconds;
      state_.shown_seconds += seconds;
      state_.shown_exchange += update.exchange.under_way;
      state_.shown_waiting += update.exchange.waiting;
      if (!update.finite) return skipped(update);
      state_.skipped_in_a_row = 0;
      ++state_.progress.updates;
      state_.progress.tokens += update.sums.tokens;
      state_.shown += update.sums;
      if (reporter_) reporter_->live(state_, update, rate, share_done());
      if (watcher_ != nullptr) watcher_->updated(state_.progress, share_done());
      if (due(disp_freq_, state_.displays)) {
        if (reporter_) reporter_->training(state_, update.norm, rate, share_done());
        state_.shown = {};
        state_.shown_seconds = state_.shown_exchange = state_.shown_waiting = 0;
      }
    }
    if (validator_ && due(valid_freq_, state_.validations)) validate();
    if (due(save_freq_, state_.saves)) folder_.save(learner_, state_);
  }

  // Whether a new period has begun since the last time that this was so.
  bool due(const Period& period, int64_t& count) const {
    const int64_t passed = period.passed(state_.progress);
    return std::exchange(count, passed) != passed;
  }

  void skipped(const Learner::Update& update) {
    ++state_.skipped;
    console_.line(fmt::format("update {} was skipped: its loss is {} and its gradient's norm {}",
                              state_.progress.updates + 1, update.sums.loss, update.norm));
    if (++state_.skipped_in_a_row < kSkipsBeforeReturn) return;
    const int64_t returns = state_.returns + 1;
    if (returns > kReturnsBeforeGivingUp)
      throw Error(
          fmt::format("training does not get beyond update {}: the loss is not finite even with the learning "
                      "rate reduced {} times. Try a lower learning_rate, a longer lr_warmup or a smaller "
                      "clip_norm, and look at the data with `attune check`",
                      state_.progress.updates, kReturnsBeforeGivingUp));
    const double factor = state_.rate_factor * 0.5;
    if (!folder_.restore(learner_, state_, say())) throw Error("there is no checkpoint to return to");
    note_ranks();
    state_.returns = returns;
    state_.rate_factor = factor;
    console_.line(
        fmt::format("{} updates in a row were not finite: back to update {}, with the learning rate times {}",
                    kSkipsBeforeReturn, state_.progress.updates, factor));
    folder_.save(learner_, state_);
    read_from(state_.position);
  }

  void validate() {
    const Clock clock;
    learner_.with_average([&] {
      const Frozen weights(learner_.parameters());
      const Validation result = (*validator_)(learner_.model());
      bool improved = false;
      for (const auto& [metric, value] : result.values) {
        const auto best = state_.best_of(metric);
        if (best && (higher_is_better(metric) ? value <= *best : value >= *best)) continue;
        improved = improved || metric == result.values[0].metric;
        state_.set_best(metric, value);
        folder_.save_model("best-" + metric, learner_, vocabularies_, state_);
      }
      state_.stalled = improved ? 0 : state_.stalled + 1;
      state_.plateau = improved ? 0 : state_.plateau + 1;
      if (reporter_) {
        reporter_->validation(state_, result, clock.seconds());
        validations_->append(state_.progress.updates, result);
      }
      if (watcher_ != nullptr) watcher_->validated(state_.progress, result);
    });
    if (config_.lr_schedule == ScheduleKind::plateau && state_.plateau > config_.lr_patience) {
      state_.plateau = 0;
      state_.rate_factor *= config_.lr_factor;
      console_.line(fmt::format("no improvement: the learning rate is now {:.3e}", rate()));
    }
  }

  TrainEnd interrupted() {
    folder_.save(learner_, state_);
    console_.line(
        fmt::format("stopped after update {}; the same command goes on from here", state_.progress.updates));
    return TrainEnd::interrupted;
  }

  void finish() {
    state_.finished = true;
    folder_.save(learner_, state_);
    learner_.with_average([&] { folder_.save_model("last", learner_, vocabularies_, state_); });
    const bool stalled = validator_ && state_.stalled >= config_.early_stopping && config_.early_stopping > 0;
    console_.line(
        fmt::format("finished after {} updates, {} epochs, {}{}", state_.progress.updates,
                    state_.progress.epochs, duration(state_.progress.seconds),
                    stalled ? fmt::format(" ({} validations without improvement)", state_.stalled) : ""));
    if (config_.average_last > 0) average();
    for (const std::string& metric : validator_ ? validator_->metrics() : std::vector<std::string>{})
      if (const auto best = state_.best_of(metric))
        console_.line(
            fmt::format("best {} {:.4g}: {}", metric, *best, (folder_.path() / ("best-" + metric)).string()));
  }

  void average() {
    const int64_t count = folder_.average(learner_, config_.average_last);
    folder_.save_model("average", learner_, vocabularies_, state_);
    console_.line(fmt::format("the mean of the last {} checkpoints is in {}", count,
                              (folder_.path() / "average").string()));
    if (!validator_) return;
    const Validation result = (*validator_)(learner_.model());
    if (reporter_) reporter_->validation(state_, result, 0);
  }

  RunConfig& run_;
  const TrainConfig& config_;
  Ranks& ranks_;
  TrainWatcher* watcher_;
  StopSignal signals_;
  RunFolder folder_;
  Console console_;
  Corpus corpus_;
  Vocabularies vocabularies_;
  std::unique_ptr<Task> task_;
  std::unique_ptr<const Guidance> guidance_;
  Learner learner_;
  std::unique_ptr<Validator> validator_;
  Schedule schedule_;
  Period after_, valid_freq_, save_freq_, disp_freq_;
  TrainState state_;
  std::unique_ptr<Reporter> reporter_;
  std::unique_ptr<ValidationLog> validations_;
  std::optional<BatchReader> reader_;
};

}  // namespace

TrainEnd train(RunConfig& config, TrainWatcher* watcher, Ranks& ranks) {
  const int fair = fair_threads(ranks);
  set_threads(config.train.cpu_threads > 0 ? static_cast<int>(config.train.cpu_threads) : fair);
  return Training(config, watcher, ranks)();
}

void forget_run(const std::string& folder) {
  for (const auto& entry : fs::exists(folder) ? fs::directory_iterator(folder) : fs::directory_iterator()) {
    const std::string name = entry.path().filename().string();
    if (name == "checkpoints" || name == "last" || name == "average" || name.starts_with("best-") ||
        name.starts_with("events.") || name == "metrics.jsonl" || name == "validations.jsonl" ||
        name == "train.log" || name == "config.yml")
      fs::remove_all(entry.path());
  }
}

}  // namespace attune
