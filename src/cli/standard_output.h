// What a verb prints. Output that cannot be written (a full disk, a closed pipe) is an Error, never a silent
// loss.
#pragma once

#include <string_view>

namespace attune::cli {

// Writes it all to stdout, at once.
void put(std::string_view text);

// Throws if anything that was printed, by whatever means, did not get out.
void finish_output();

// Opens stdin, stdout and stderr where the program was started without them, so that no file takes their
// numbers: reading and writing there fails, but what goes to stderr is lost in silence.
void open_standard_descriptors();

}  // namespace attune::cli
