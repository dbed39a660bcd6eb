// Entries as fields that can be looked at: to write again what was read.
#pragma once

#include "config/entries.h"

namespace attune {

// A single value that is a number, true or false is written as one.
FieldList fields_of_entries(const Entries& entries);

}  // namespace attune
