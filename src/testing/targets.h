// Every CPU generation that kernels are compiled for and this machine can run, down to plain C++.
#pragma once

#include <gtest/gtest.h>
#include <hwy/highway.h>
#include <hwy/targets.h>

#include <functional>

namespace attune::testing {

inline void choose_target(int64_t targets) {
  hwy::SetSupportedTargetsForTest(targets);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

// Calls body() for each.
inline void for_targets(const std::function<void()>& body) {
  for (int64_t left = hwy::SupportedTargets() & HWY_TARGETS; left != 0; left &= left - 1) {
    const int64_t target = left & -left;
    choose_target(target);
    SCOPED_TRACE(hwy::TargetName(target));
    body();
  }
  choose_target(0);  // whatever the machine has
}

}  // namespace attune::testing
