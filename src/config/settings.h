// From the settings of a program to Entries.
#pragma once

#include "attune/settings.h"
#include "config/entries.h"

namespace attune {

Entries entries_of(const Settings& settings);

}  // namespace attune
