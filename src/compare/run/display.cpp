#include "compare/run/display.h"

#include <fmt/core.h>
#include <unistd.h>

#include <chrono>
#include <numeric>

#include "base/readable.h"
#include "view/gauge.h"
#include "view/width.h"

namespace attune::compare {
namespace {

constexpr double kBetween = 0.2;  // seconds between redraws
constexpr size_t kBar = 20;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

Display::Display(size_t models) : terminal_(isatty(STDERR_FILENO) != 0), models_(models) {}

Display::~Display() { clear(); }

// A child may have drawn the line that is cleared here.
void Display::clear() const {
  if (terminal_) fmt::print(stderr, "\r\033[K");
}

std::string Display::prefix() const { return fmt::format("[{}/{}] {}", number_, models_, name_); }

void Display::note(const std::string& text) {
  clear();
  fmt::print(stderr, "{}\n", text);
}

void Display::model(const std::string& name) {
  ++number_;
  name_ = name;
}

void Display::step(const std::string& what) {
  step_ = what;
  learned_.clear();
  drawn_ = 0;
  if (!terminal_) note(fmt::format("{}: {}", prefix(), what));
}

void Display::done(const std::string& what, double seconds) {
  note(fmt::format("{}: {}", prefix(), what));
  if (seconds > 0) seconds_.push_back(seconds);
}

void Display::updated(const TrainState& state, double share) {
  if (!terminal_ || now() - drawn_ < kBetween || share <= 0) return;
  const double seconds = state.progress.seconds, whole = seconds / share, left = whole - seconds;
  const double mean =
      std::accumulate(seconds_.begin(), seconds_.end(), whole) / static_cast<double>(seconds_.size() + 1);
  std::string more = fmt::format("{} left", duration(left));
  if (number_ < models_)
    more += fmt::format(", about {} for all models",
                        duration(left + mean * static_cast<double>(models_ - number_)));
  draw(share, learned_ + more);
}

void Display::validated(const Progress&, const Validation& validation) {
  if (!validation.values.empty())
    learned_ = fmt::format("{} {:.4g}  ", validation.values[0].metric, validation.values[0].value);
}

void Display::share(double done) {
  if (terminal_ && now() - drawn_ >= kBetween) draw(done, "");
}

void Display::draw(double share, const std::string& more) {
  drawn_ = now();
  fmt::print(stderr, "\r\033[K{}  {}  {} {:3.0f}%  {}", prefix(), step_, view::bar(share, kBar), 100 * share,
             more);
  std::fflush(stderr);
}

}  // namespace attune::compare
