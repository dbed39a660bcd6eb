#include "attune/patience.h"

#include <utility>

namespace attune {
namespace {

thread_local const Patience* innermost = nullptr;

}  // namespace

Patience::Patience(std::stop_token life, std::function<bool()> over)
    : life_(std::move(life)), over_(std::move(over)), outer_(innermost) {
  innermost = this;
}

Patience::Patience(std::stop_token life) : Patience(std::move(life), std::function<bool()>()) {}

Patience::Patience(Time until) : Patience([until] { return std::chrono::steady_clock::now() >= until; }) {}

Patience::Patience(std::function<bool()> over) : Patience(std::stop_token(), std::move(over)) {}

Patience::~Patience() { innermost = outer_; }

void Patience::check() {
  for (const Patience* each = innermost; each != nullptr; each = each->outer_)
    if (each->life_.stop_requested() || (each->over_ && each->over_()))
      throw GivenUp("nobody is waiting for this any more");
}

std::stop_token Patience::life() {
  for (const Patience* each = innermost; each != nullptr; each = each->outer_)
    if (each->life_.stop_possible()) return each->life_;
  return {};
}

}  // namespace attune
