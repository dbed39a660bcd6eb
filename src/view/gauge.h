// Progress on a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace attune::view {

// A bar of that many columns, of which a share is full.
std::string bar(double share, size_t columns);

// Values from 0 to 100 as blocks ▁▂▃▄▅▆▇█, the last `columns` of them.
std::string curve(const std::vector<double>& percents, size_t columns);

}  // namespace attune::view
