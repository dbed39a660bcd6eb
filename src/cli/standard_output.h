// What a verb prints. Output that cannot be written (a full disk, a closed pipe) is an Error and is never
// lost silently.
#pragma once

#include <string_view>

namespace attune::cli {

// Writes all of it to stdout at once.
void put(std::string_view text);

// Throws if anything that was printed, by whatever means, could not be written.
void finish_output();

// Opens stdin, stdout and stderr if the program was started without them, so that no file takes their
// numbers. Reading and writing them then fails, except that messages to stderr are lost silently.
void open_standard_descriptors();

}  // namespace attune::cli
