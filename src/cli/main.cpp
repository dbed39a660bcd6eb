#include <fcntl.h>
#include <unistd.h>

#include "cli/verb.h"

// Whoever closed stdin, stdout or stderr (2>&-) must not find the next file that is opened in their place.
// What stands there instead can be neither read nor written.
static void keep_places() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(number, F_GETFD) < 0) (void)!open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int main(int argc, char** argv) {
  keep_places();
  return attune::cli::run(argc, argv);
}
