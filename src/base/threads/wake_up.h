// WakeUp: lets one thread wake another that waits for input.
#pragma once

#include "base/descriptor.h"

namespace attune {

class WakeUp {
 public:
  WakeUp();
  void wake() const;
  int descriptor() const { return event_.number(); }  // readable from then on

 private:
  Descriptor event_;
};

}  // namespace attune
