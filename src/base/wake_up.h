// WakeUp: lets one thread end another's waiting for input.
#pragma once

#include "base/descriptor.h"

namespace attune {

class WakeUp {
 public:
  WakeUp();
  void wake() const;
  int descriptor() const { return event_.number(); }  // can be read from then on

 private:
  Descriptor event_;
};

}  // namespace attune
