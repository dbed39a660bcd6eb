#include <fmt/core.h>

#include <fstream>
#include <string>

#include "attune/threads.h"
#include "cli/verb.h"
#include "ops/kernels.h"
#include "ops/product/engine.h"
#include "ops/product/onednn.h"

namespace attune::cli {
namespace {

std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(": ") + 2);
  return "unknown";
}

void print_info() {
  fmt::print("attune    {}\n", ATTUNE_VERSION);
  fmt::print("compiler  {}\n", ATTUNE_COMPILER);
  fmt::print("cpu       {}\n", cpu_name());
  fmt::print("kernels   {}\n", reference_kernels() ? "reference" : kernel_target());
  fmt::print("oneDNN    {}\n", onednn_version());
  fmt::print("bf16      {}; precision auto is {}\n", bf16_engine(), name(chosen(PrecisionChoice::automatic)));
  fmt::print("threads   {}\n", threads());
}

const RegisterVerb registered{
    {"info", "version, CPU and the kernels in use", [](CLI::App&) -> Action { return print_info; }}};

}  // namespace
}  // namespace attune::cli
