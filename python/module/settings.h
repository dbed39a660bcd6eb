// Python's values as Settings.
#pragma once

#include <attune/settings.h>
#include <pybind11/pybind11.h>

namespace attune::python {

// None is left out; paths are text; numbers in lists are written as text. A TypeError for anything else.
Settings settings_of(const pybind11::dict& values);

}  // namespace attune::python
