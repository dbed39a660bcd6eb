#include <fmt/core.h>
#include <fmt/ranges.h>
#include <hwy/highway.h>
#include <hwy/targets.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "attune/error.h"
#include "attune/threads.h"
#include "base/nearest.h"
#include "bench/worker.h"
#include "cli/verb.h"

namespace attune::cli {
namespace {

struct Options {
  std::vector<std::string> rows;
  std::string generation;
  int samples = 9, threads = attune::threads();
  bool list = false, worker = false;
};

// The cases whose names contain one of the patterns; all if there are none.
std::vector<bench::BenchCase> chosen(const std::vector<std::string>& patterns) {
  const std::vector<bench::BenchCase> all = bench::all_cases();
  if (patterns.empty()) return all;
  std::vector<bench::BenchCase> cases;
  std::vector<std::string> names;
  for (const auto& bench : all) names.push_back(bench.name);
  for (const std::string& pattern : patterns) {
    const size_t before = cases.size();
    for (const auto& bench : all)
      if (bench.name.find(pattern) != std::string::npos) cases.push_back(bench);
    if (cases.size() == before)
      throw UsageError(
          fmt::format("bench: no row '{}'{} (--list shows all)", pattern, did_you_mean(pattern, names)));
  }
  return cases;
}

// From now on; for measurements of what older CPUs would do.
void use_kernels_of(const std::string& target) {
  std::vector<std::string> names;
  for (int64_t left = hwy::SupportedTargets() & HWY_TARGETS; left != 0; left &= left - 1) {
    names.emplace_back(hwy::TargetName(left & -left));
    if (names.back() != target) continue;
    hwy::SetSupportedTargetsForTest(left & -left);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    return;
  }
  throw UsageError(
      fmt::format("bench: this CPU has no kernels of '{}'; it has {}", target, fmt::join(names, ", ")));
}

double median_seconds(const bench::Work& work, int samples) {
  const double first = std::min(bench::seconds(work, 1), bench::seconds(work, 1));
  const int repeat = std::clamp(static_cast<int>(0.05 / first), 1, 1000);
  std::vector<double> times;
  for (int i = 0; i < samples; ++i) times.push_back(bench::seconds(work, repeat));
  const auto middle = times.begin() + samples / 2;
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

void measure(const Options& options) {
  const ThreadCount threads(options.threads);
  for (const auto& bench : chosen(options.rows)) {
    const double seconds = median_seconds(bench.set_up(), options.samples);
    fmt::print("{:<44} {:>10.3f} ms", bench.name, seconds * 1e3);
    if (bench.flops > 0) fmt::print(" {:>8.1f} GFLOP/s", bench.flops / seconds * 1e-9);
    if (bench.bytes > 0) fmt::print(" {:>8.1f} GB/s", bench.bytes / seconds * 1e-9);
    fmt::print("\n");
    std::fflush(stdout);
  }
}

Action set_up(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("ROW", options->rows, "rows to measure, by any part of their names [all]");
  app.add_option("--samples", options->samples, "measurements; their median is shown")
      ->check(CLI::Range(1, 1000));
  app.add_option("--threads", options->threads, "threads to use")->check(CLI::Range(1, 1024));
  app.add_option(
      "--cpu-generation", options->generation,
      "kernels of an older CPU: a name as `attune info` has it, like AVX2; oneDNN does not know of it");
  app.add_flag("--list", options->list, "list the rows");
  app.add_flag("--worker", options->worker, "answer the requests of bench/run.py");
  return [options] {
    if (!options->generation.empty()) use_kernels_of(options->generation);
    if (options->worker) return bench::serve_requests();
    if (!options->list) return measure(*options);
    for (const auto& bench : bench::all_cases()) fmt::print("{}\n", bench.name);
  };
}

const RegisterVerb registered{{"bench", "time operations; `./run bench` compares them with PyTorch", set_up}};

}  // namespace
}  // namespace attune::cli
