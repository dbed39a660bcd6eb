#include "train/run/train_state.h"

#include <fmt/core.h>

#include <algorithm>

namespace attune {

void TrainState::fields(Fields& f) {
  f("updates", progress.updates, "");
  f("tokens", progress.tokens, "");
  f("epochs", progress.epochs, "");
  f("seconds", progress.seconds, "");
  f("position_epoch", position.epoch, "");
  f("position_window", position.window, "");
  f("position_batch", position.batch, "");
  f("batches", batches, "");
  f("rate_factor", rate_factor, "");
  f("stalled", stalled, "");
  f("plateau", plateau, "");
  f("skipped", skipped, "");
  f("skipped_in_a_row", skipped_in_a_row, "");
  f("returns", returns, "");
  f("validations", validations, "");
  f("saves", saves, "");
  f("displays", displays, "");
  f("shown_loss", shown.loss, "");
  f("shown_nll", shown.nll, "");
  f("shown_tokens", shown.tokens, "");
  f("shown_correct", shown.correct, "");
  f("shown_alignment", shown.alignment, "");
  f("shown_updates", shown_updates, "");
  f("shown_seconds", shown_seconds, "");
  f("shown_exchange", shown_exchange, "");
  f("shown_waiting", shown_waiting, "");
  f("ranks", ranks, "");
  f("batches_an_update", batches_an_update, "");
  f("shown_norm", shown_norm, "");
  f("shown_rate", shown_rate, "");
  f("finished", finished, "");
  f("behind", behind, "");
  f("saved", saved, "");
  f("passing", passing, "");
  f("metrics_bytes", metrics_bytes, "");
  f("validations_bytes", validations_bytes, "");
  f("best", best, "");
}

std::optional<double> TrainState::best_of(const std::string& metric) const {
  for (const std::string& entry : best)
    if (entry.starts_with(metric + " ")) return std::stod(entry.substr(metric.size() + 1));
  return {};
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
