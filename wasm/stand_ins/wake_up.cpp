// There is one thread, which nobody wakes.
#include "base/threads/wake_up.h"

namespace attune {

WakeUp::WakeUp() = default;
void WakeUp::wake() const {}

}  // namespace attune
