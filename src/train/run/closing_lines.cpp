#include "train/run/closing_lines.h"

#include <fmt/core.h>

#include "base/readable.h"

namespace attune {

namespace {

// "before and after: dev: bleu 12.3 -> 34.5, chrf 40.1 -> 60.2; news: bleu 41.2 -> 39.8, ..."
std::string before_and_after(const TrainState& state) {
  std::string text = "before and after:", last;
  for (size_t i = 0; i < state.before.size() && i < state.after.size(); ++i) {
    const std::string &was = state.before[i], &is = state.after[i];
    const size_t value = was.find(' ') + 1, end = was.find(' ', value);
    const std::string set = was.substr(end + 1);
    if (set != last) text += fmt::format("{} {}:", last.empty() ? "" : ";", set);
    text += fmt::format("{} {} -> {}", set != last ? "" : ",", was.substr(0, end),
                        is.substr(value, is.find(' ', value) - value));
    last = set;
  }
  return text;
}

}  // namespace

std::vector<std::string> finished_lines(const std::filesystem::path& run, const TrainState& state,
                                        bool stalled) {
  std::vector<std::string> lines{
      fmt::format("finished after {}, {}, {}{}", counted(state.progress.updates, "update"),
                  state.progress.epochs == 0 ? "less than an epoch" : counted(state.progress.epochs, "epoch"),
                  duration(state.progress.seconds),
                  stalled ? fmt::format(" ({} validations without improvement)", state.stalled) : "")};
  if (state.best.empty()) lines.push_back(fmt::format("the model: {}", (run / "last").string()));
  for (const auto& [metric, value, update] : state.bests()) {
    const bool first = lines.size() == 1;
    lines.push_back(fmt::format("best {} {:.4g}, after update {}: {}{}", metric, value, grouped(update),
                                (run / ("best-" + metric)).string(),
                                first ? fmt::format(" (what -m {} takes)", run.string()) : ""));
    for (const std::string& set : state.other_sets)
      if (first && state.before.empty()) lines.push_back(fmt::format("  on {}", set));
  }
  if (!state.before.empty()) lines.push_back(before_and_after(state));
  return lines;
}

std::vector<std::string> interrupted_lines(const std::filesystem::path& run, const TrainState& state,
                                           bool validates) {
  std::vector<std::string> lines{
      fmt::format("stopped after update {}; run the same command again to continue", state.saved)};
  if (state.best.empty() && state.progress.updates > 0)
    lines.push_back(fmt::format("{}the model so far: {}", validates ? "it was not validated yet; " : "",
                                (run / "last").string()));
  return lines;
}

std::string stuck_text(int64_t update, int64_t returns) {
  return fmt::format(
      "training cannot get past update {}: the loss is not finite even after reducing the learning rate {} "
      "times. Try a lower learning_rate, a longer lr_warmup or a smaller clip_norm, and check the data with "
      "`attune check`",
      update, returns);
}

}  // namespace attune
