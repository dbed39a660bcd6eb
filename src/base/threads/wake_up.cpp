#include "base/threads/wake_up.h"

#include <sys/eventfd.h>

#include <cerrno>
#include <cstring>

#include "base/check.h"

namespace attune {

WakeUp::WakeUp() : event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  check(static_cast<bool>(event_), "cannot make an event descriptor: {}", std::strerror(errno));
}

void WakeUp::wake() const { eventfd_write(event_.number(), 1); }

}  // namespace attune
