#include "cli/demo_progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "base/readable.h"
#include "view/width.h"

namespace attune::cli {

std::string bar(double share, size_t columns) {
  const auto full =
      static_cast<size_t>(std::lround(std::clamp(share, 0.0, 1.0) * static_cast<double>(columns)));
  std::string text;
  for (size_t i = 0; i < columns; ++i) text += i < full ? "━" : "╌";
  return text;
}

std::string curve(const std::vector<double>& percents, size_t columns) {
  static constexpr const char* kBlocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::string text;
  for (size_t i = percents.size() - std::min(columns, percents.size()); i < percents.size(); ++i)
    text += kBlocks[std::clamp(static_cast<int>(percents[i] / 100 * 8), 0, 7)];
  return text;
}

CalmProgress::CalmProgress(std::string name, std::string metric)
    : name_(std::move(name)), metric_(std::move(metric)), terminal_(isatty(STDERR_FILENO) != 0) {}

CalmProgress::~CalmProgress() { clear(); }

void CalmProgress::clear() const {
  if (terminal_) fmt::print(stderr, "\r\033[K");
}

void CalmProgress::updated(const Progress& progress, double share) {
  seconds_ = progress.seconds;
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
      values_.empty() ? "" : fmt::format("  {} {:5.1f}  {}", metric_, values_.back(), curve(values_, 10));
  fmt::print(stderr, "\r\033[K  {}  {} {:3.0f}%  {}{}", view::pad_right(name_, 12), bar(share_, 24),
             100 * share_, view::pad_left(duration(seconds_), 4), learned);
  std::fflush(stderr);
}

}  // namespace attune::cli
