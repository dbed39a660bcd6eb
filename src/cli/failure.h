// How an exception in a verb ends the program.
#pragma once

#include <exception>
#include <string>

namespace attune::cli {

std::string message_of(const std::exception& error);  // what the user reads
int exit_code_of(const std::exception& error);

}  // namespace attune::cli
