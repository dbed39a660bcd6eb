// Numbers for people to read.
#pragma once

#include <cstdint>
#include <string>

namespace attune {

std::string grouped(int64_t number);                    // "1,234,567"
std::string counted(int64_t number, const char* what);  // "1 line", "1,234 lines"
std::string duration(double seconds);                   // "2 h 05 min", "3 min 20 s", "0.4 s"
std::string memory_size(int64_t bytes);                 // "512 kB", "96.3 MB", "1.53 GB", in powers of 1024
std::string percentage(double share);                   // "12.5%"; at least "0.01%" if it is above 0

}  // namespace attune
