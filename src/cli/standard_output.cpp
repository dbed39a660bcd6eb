#include "cli/standard_output.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <iostream>
#include <system_error>

#include "attune/error.h"

namespace attune::cli {
namespace {

void require_written(bool written) {
  if (!written) throw Error("the output cannot be written: " + std::generic_category().message(errno));
}

}  // namespace

void put(std::string_view text) {
  require_written(std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
                  std::fflush(stdout) == 0);
}

void finish_output() {
  require_written(std::cout.flush() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0);
}

void open_standard_descriptors() {
  for (const auto& [number, mode] : {std::pair(STDIN_FILENO, O_WRONLY), std::pair(STDOUT_FILENO, O_RDONLY),
                                     std::pair(STDERR_FILENO, O_WRONLY)})
    if (fcntl(number, F_GETFD) < 0) (void)open("/dev/null", mode);  // the lowest free number is this one
}

}  // namespace attune::cli
