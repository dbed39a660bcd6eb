#include "train/run/train_state.h"

#include <fmt/core.h>

#include <algorithm>

#include "train/validation.h"

namespace attune {

void TrainState::fields(FieldsOf<TrainState> f) {
  auto progress = f.in(&TrainState::progress);
  progress("updates", &Progress::updates, "");
  progress("tokens", &Progress::tokens, "");
  progress("epochs", &Progress::epochs, "");
  progress("share_of_epoch", &Progress::share_of_epoch, "");
  progress("seconds", &Progress::seconds, "");
  auto position = f.in(&TrainState::position);
  position("position_epoch", &BatchPosition::epoch, "");
  position("position_window", &BatchPosition::window, "");
  position("position_batch", &BatchPosition::batch, "");
  f("batches", &TrainState::batches, "");
  f("rate_factor", &TrainState::rate_factor, "");
  f("stalled", &TrainState::stalled, "");
  f("plateau", &TrainState::plateau, "");
  f("skipped", &TrainState::skipped, "");
  f("skipped_in_a_row", &TrainState::skipped_in_a_row, "");
  f("returns", &TrainState::returns, "");
  f("validations", &TrainState::validations, "");
  f("saves", &TrainState::saves, "");
  f("displays", &TrainState::displays, "");
  auto shown = f.in(&TrainState::shown);
  shown("shown_loss", &Learner::Sums::loss, "");
  shown("shown_nll", &Learner::Sums::nll, "");
  shown("shown_tokens", &Learner::Sums::tokens, "");
  shown("shown_correct", &Learner::Sums::correct, "");
  shown("shown_alignment", &Learner::Sums::alignment, "");
  shown("shown_squared", &Learner::Sums::squared, "");
  shown("shown_absolute", &Learner::Sums::absolute, "");
  f("shown_updates", &TrainState::shown_updates, "");
  f("shown_seconds", &TrainState::shown_seconds, "");
  f("shown_exchange", &TrainState::shown_exchange, "");
  f("shown_waiting", &TrainState::shown_waiting, "");
  f("ranks", &TrainState::ranks, "");
  f("batches_an_update", &TrainState::batches_an_update, "");
  f("shown_norm", &TrainState::shown_norm, "");
  f("shown_rate", &TrainState::shown_rate, "");
  f("finished", &TrainState::finished, "");
  f("behind", &TrainState::behind, "");
  f("saved", &TrainState::saved, "");
  f("validated", &TrainState::validated, "");
  f("passing", &TrainState::passing, "");
  f("metrics_bytes", &TrainState::metrics_bytes, "");
  f("validations_bytes", &TrainState::validations_bytes, "");
  f("best", &TrainState::best, "");
  f("other_sets", &TrainState::other_sets, "");
  f("pretrained", &TrainState::pretrained, "");
  f("before", &TrainState::before, "");
  f("after", &TrainState::after, "");
}

std::vector<TrainState::Best> TrainState::bests() const {
  std::vector<Best> all;
  for (const std::string& entry : best) {
    const size_t value = entry.find(' ') + 1, update = entry.rfind(' ') + 1;
    all.push_back(
        {entry.substr(0, value - 1), std::stod(entry.substr(value)), std::stoll(entry.substr(update))});
  }
  return all;
}

std::optional<TrainState::Best> TrainState::best_of(const std::string& metric) const {
  for (const Best& one : bests())
    if (one.metric == metric) return one;
  return {};
}

std::vector<std::string> TrainState::take(const Validation& validation) {
  std::vector<std::string> better;
  for (const auto& [metric, value] : validation.values) {
    const auto former = best_of(metric);
    if (former && (higher_is_better(metric) ? value <= former->value : value >= former->value)) continue;
    better.push_back(metric);
    set_best(metric, value);
  }
  const bool improved = !better.empty() && better[0] == validation.values[0].metric;
  if (improved) {
    other_sets = validation.other_lines();
    after = validation.scores();
  }
  if (progress.updates == 0) before = validation.scores();
  stalled = improved ? 0 : stalled + 1;
  plateau = improved ? 0 : plateau + 1;
  validated = progress.updates;
  return better;
}

void TrainState::set_best(const std::string& metric, double value) {
  const std::string entry = fmt::format("{} {} {}", metric, value, progress.updates);
  const auto former =
      std::ranges::find_if(best, [&](const std::string& other) { return other.starts_with(metric + " "); });
  if (former == best.end())
    best.push_back(entry);
  else
    *former = entry;
}

}  // namespace attune
