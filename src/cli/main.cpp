#include "cli/verb.h"

int main(int argc, char** argv) { return attune::cli::run(argc, argv); }
