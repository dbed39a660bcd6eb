#include "train/run/reporter.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "base/readable.h"

namespace attune {
namespace {

// Seconds between two looks at the live line of a terminal; and after which a log that nothing was written to
// gets a line, so that whoever reads it sees that training goes on.
constexpr double kRedraw = 0.2, kSilence = 30;

struct TrainingRecord {
  int64_t update = 0, epoch = 0, tokens = 0, memory = 0, skipped = 0;
  bool guided = false;
  bool numbers = false;  // are answered with, not words
  double loss = 0, alignment_loss = 0, perplexity = 0, accuracy = 0, mse = 0, mae = 0, tokens_per_second = 0,
         learning_rate = 0, gradient_norm = 0, seconds = 0;
  int64_t ranks = 1;
  double exchange = 0, waiting = 0;  // as shares of the time

  void fields(Fields& f) const {
    f("kind", std::string("training"), "");
    f("update", update, "");
    f("epoch", epoch, "");
    f("tokens", tokens, "");
    f("loss", loss, "");
    if (guided) f("alignment_loss", alignment_loss, "");
    if (numbers) {
      f("mse", mse, "");
      f("mae", mae, "");
    } else {
      f("perplexity", perplexity, "");
      f("accuracy", accuracy, "");
    }
    f("tokens_per_second", tokens_per_second, "");
    f("learning_rate", learning_rate, "");
    f("gradient_norm", gradient_norm, "");
    f("skipped", skipped, "");
    f("memory", memory, "");
    f("seconds", seconds, "");
    if (ranks == 1) return;
    f("ranks", ranks, "");
    f("exchange", exchange, "");
    f("waiting", waiting, "");
  }
};

std::string time_left(const TrainState& state, double share) {
  if (share <= 0 || share > 1) return "";
  return fmt::format("{} left  ", duration(state.progress.seconds * (1 - share) / share));
}

TrainingRecord record_of(const TrainState& state, bool guided) {
  const auto tokens = static_cast<double>(std::max<int64_t>(state.shown.tokens, 1));
  TrainingRecord record;
  record.update = state.progress.updates;
  record.epoch = state.progress.epochs + 1;
  record.tokens = state.progress.tokens;
  record.loss = state.shown.loss / tokens;
  record.guided = guided;
  record.alignment_loss = state.shown.alignment / tokens;
  record.perplexity = std::exp(std::min(state.shown.nll / tokens, 100.0));
  record.numbers = state.shown.squared > 0;
  record.mse = state.shown.squared / tokens;
  record.mae = state.shown.absolute / tokens;
  record.accuracy = 100 * static_cast<double>(state.shown.correct) / tokens;
  record.tokens_per_second = static_cast<double>(state.shown.tokens) / std::max(state.shown_seconds, 1e-9);
  record.learning_rate = state.shown_rate;
  record.gradient_norm = state.shown_norm;
  record.skipped = state.skipped;
  record.memory = memory_in_use();
  record.seconds = state.progress.seconds;
  record.ranks = state.ranks;
  record.exchange = state.shown_exchange / std::max(state.shown_seconds, 1e-9);
  record.waiting = state.shown_waiting / std::max(state.shown_seconds, 1e-9);
  return record;
}

}  // namespace

int64_t memory_in_use() {
  std::ifstream file("/proc/self/statm");
  int64_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

Reporter::Reporter(Console& console, const TrainConfig& config, const TrainState& state)
    : console_(console),
      guided_(!config.guided_alignment.empty()),
      metrics_(std::filesystem::path(config.model) / "metrics.jsonl", state.metrics_bytes),
      events_(config.tensorboard ? std::make_unique<EventWriter>(config.model, state.progress.updates + 1)
                                 : nullptr) {}

void Reporter::scalar(const char* tag, int64_t update, double value) {
  if (events_) events_->scalar(tag, update, value);
}

void Reporter::live(const TrainState& state, double share) {
  const double now = wall_time_now();
  if (now - last_live_ < (console_.terminal() ? kRedraw : kSilence)) return;
  last_live_ = now;
  const TrainingRecord r = record_of(state, guided_);
  const std::string text = fmt::format(
      "{}epoch {}  update {}  loss {:.3f}{}  {} tokens/s  lr {:.2e}  norm {:.2f}  {} MB",
      time_left(state, share), r.epoch, grouped(r.update), r.loss,
      r.numbers ? "" : fmt::format("  ppl {:.2f}", r.perplexity),
      grouped(static_cast<int64_t>(r.tokens_per_second)), r.learning_rate, r.gradient_norm, r.memory >> 20);
  if (console_.terminal())
    console_.live(text);
  else
    console_.line(text);
}

void Reporter::training(const TrainState& state, double share) {
  const TrainingRecord r = record_of(state, guided_);
  console_.line(
      fmt::format("{}epoch {}  update {}  loss {:.4f}{}{}  {} tokens/s  lr {:.3e}  norm {:.3f}  {} MB{}",
                  time_left(state, share), r.epoch, grouped(r.update), r.loss,
                  guided_ ? fmt::format("  alignment {:.4f}", r.alignment_loss) : "",
                  r.numbers ? fmt::format("  mse {:.4g}  mae {:.4g}", r.mse, r.mae)
                            : fmt::format("  perplexity {:.3f}  accuracy {:.1f}%", r.perplexity, r.accuracy),
                  grouped(static_cast<int64_t>(r.tokens_per_second)), r.learning_rate, r.gradient_norm,
                  r.memory >> 20, r.ranks > 1 ? fmt::format("  {:.0f}% waiting", 100 * r.waiting) : ""));
  last_live_ = wall_time_now();
  metrics_.append(fields_of(r));
  scalar("train/loss", r.update, r.loss);
  if (guided_) scalar("train/alignment_loss", r.update, r.alignment_loss);
  if (r.numbers) {
    scalar("train/mse", r.update, r.mse);
    scalar("train/mae", r.update, r.mae);
  } else {
    scalar("train/perplexity", r.update, r.perplexity);
    scalar("train/accuracy", r.update, r.accuracy);
  }
  scalar("train/learning_rate", r.update, r.learning_rate);
  scalar("train/gradient_norm", r.update, r.gradient_norm);
  scalar("train/tokens_per_second", r.update, r.tokens_per_second);
  if (r.ranks > 1) scalar("train/waiting", r.update, r.waiting);
}

void Reporter::validation(const TrainState& state, const Validation& validation, double seconds,
                          const std::string& kind) {
  const int64_t update = state.progress.updates;
  const bool own = kind == "validation";
  std::string text = fmt::format("{} after update {} ({})", own ? "validation" : "validation of the " + kind,
                                 grouped(update), duration(seconds));
  for (const auto& [metric, value] : validation.values) {
    const auto best = state.best_of(metric);
    text +=
        fmt::format("  {} {:.4g}{}", metric, value, own && best && best->update == update ? " (best)" : "");
    scalar(((own ? "valid/" : "average/") + metric).c_str(), update, value);
  }
  console_.line(text);
  for (const auto& [set, values] : validation.others) {
    text = fmt::format("  {}", set);
    for (const auto& [metric, value] : values) {
      text += fmt::format("  {} {:.4g}", metric, value);
      scalar(fmt::format("{}-{}/{}", own ? "valid" : "average", set, metric).c_str(), update, value);
    }
    console_.line(text);
  }
  for (const auto& [source, reference, output] : validation.samples) {
    console_.line(
        fmt::format("  source     {}\n  reference  {}\n  output     {}", source, reference, output));
    if (events_ && own)
      events_->text("valid/sample", update, fmt::format("{}\n\n*{}*\n\n**{}**", source, reference, output));
  }
  metrics_.append([&](Fields& f) {
    f("kind", kind, "");
    f("update", update, "");
    for (const auto& [metric, value] : validation.values) f(metric, value, "");
    f("seconds", state.progress.seconds, "");
  });
  for (const Validation::Other& other : validation.others)
    metrics_.append([&](Fields& f) {
      f("kind", kind + "_set", "");
      f("update", update, "");
      f("set", other.set, "");
      for (const auto& [metric, value] : other.values) f(metric, value, "");
    });
}

void Reporter::sync() const {
  metrics_.sync();
  if (events_) events_->sync();
}

}  // namespace attune
