#include "cli/standard_output.h"
#include "cli/verb.h"

int main(int argc, char** argv) {
  attune::cli::open_standard_descriptors();
  return attune::cli::run(argc, argv);
}
