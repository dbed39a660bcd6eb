#include "demo/calm_progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include "base/readable.h"
#include "view/gauge.h"
#include "view/width.h"

namespace attune::demo {

CalmProgress::CalmProgress(std::string name, std::string metric)
    : name_(std::move(name)), metric_(std::move(metric)), terminal_(isatty(STDERR_FILENO) != 0) {}

CalmProgress::~CalmProgress() { clear(); }

void CalmProgress::clear() const {
  if (terminal_) fmt::print(stderr, "\r\033[K");
}

void CalmProgress::updated(const TrainState& state, double share) {
  seconds_ = state.progress.seconds;
  share_ = share;
  constexpr double kBetween = 0.2;  // seconds
  if (seconds_ - drawn_ > kBetween) draw();
}

void CalmProgress::validated(const Progress& progress, const Validation& validation) {
  seconds_ = progress.seconds;
  for (const auto& [metric, value] : validation.values)
    if (metric == metric_) values_.push_back(value);
  validations_.push_back(validation);
  draw();
}

void CalmProgress::draw() {
  if (!terminal_) return;
  drawn_ = seconds_;
  const std::string learned =
      values_.empty() ? ""
                      : fmt::format("  {} {:5.1f}  {}", metric_, values_.back(), view::curve(values_, 10));
  fmt::print(stderr, "\r\033[K  {}  {} {:3.0f}%  {}{}", view::pad_right(name_, 12), view::bar(share_, 24),
             100 * share_, view::pad_left(duration(seconds_), 4), learned);
  std::fflush(stderr);
}

}  // namespace attune::demo
