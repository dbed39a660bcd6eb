#include "bench/worker.h"

#include <ctime>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "bench/decoding_model.h"
#include "bench/translation.h"
#include "tensor/arena.h"

namespace attune::bench {
namespace {

using nlohmann::json;

double now(Clock clock) {
  timespec time{};
  clock_gettime(clock == Clock::cpu ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// A line of /proc/self/status, in megabytes.
double process_megabytes(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(field + ":")) return std::stod(line.substr(field.size() + 1)) / 1024;
  fail("/proc/self/status has no {}", field);
}

double extra_megabytes(const Work& work) {
  Arena::current()->reset();  // memory left free by making the inputs would hide what the work takes
  std::ofstream("/proc/self/clear_refs") << 5;  // the peak starts anew
  const double before = process_megabytes("VmRSS");
  seconds(work, 1);
  return process_megabytes("VmHWM") - before;
}

json list_of(const std::vector<BenchCase>& cases) {
  json rows = json::array();
  for (const BenchCase& bench : cases)
    rows.push_back({{"name", bench.name},
                    {"flops", bench.flops},
                    {"bytes", bench.bytes},
                    {"speed", bench.speed},
                    {"speed_threaded", bench.speed_threaded},
                    {"megabytes", bench.megabytes},
                    {"memory_share", bench.memory_share},
                    {"f32", bench.f32},
                    {"gain", bench.gain},
                    {"memory_share_f32", bench.memory_share_f32},
                    {"onednn", bench.onednn != nullptr}});
  return {{"rows", rows}};
}

// Keeps the inputs of the row that was asked for last.
class Worker {
 public:
  json answer(const json& request) {
    if (request.contains("list")) return list_of(cases_);
    if (request.contains("make")) return make_model(request.at("make"), request.at("model"));
    if (request.contains("model")) return translate(request);
    if (request.contains("peak")) return {{"megabytes", process_megabytes("VmHWM")}};
    const std::string name = request.at("row");
    const bool onednn = request.value("peer", "") == "onednn";
    if (request.contains("memory")) return {{"megabytes", extra_megabytes(set_up(name, onednn))}};
    return {{"seconds", seconds(work(name, onednn), request.value("repeat", 1))}};
  }

 private:
  static json make_model(const std::string& name, const std::string& folder) {
    for (const DecodingModel& model : decoding_models())
      if (model.name == name) {
        model.save(folder);
        return json::object();
      }
    fail("no model '{}'", name);
  }

  json translate(const json& request) {
    const Translation::Request wanted{request.at("model"), request.value("beam", 1),
                                      request.value("batch_words", 2000)};
    const std::vector<std::string> lines = request.at("lines");
    if (!translation_ || translation_->request() != wanted) {
      translation_ = std::make_unique<Translation>(wanted);
      translation_->all({lines[0]});  // warms up
    }
    const Clock clock = request.contains("cpu") ? Clock::cpu : Clock::wall;
    if (request.contains("single")) return {{"seconds", translation_->one_by_one(lines, clock)}};
    Translation::Result result;
    const double taken = seconds([&] { result = translation_->all(lines); }, 1, clock);
    return {{"seconds", taken}, {"texts", result.texts}, {"read", result.read}, {"written", result.written}};
  }

  Work set_up(const std::string& name, bool onednn) const {
    for (const BenchCase& bench : cases_)
      if (bench.name == name && (!onednn || bench.onednn)) return onednn ? bench.onednn() : bench.set_up();
    fail("no row '{}'", name);
  }

  const Work& work(const std::string& name, bool onednn) {
    if (name != row_) works_.clear();
    row_ = name;
    Work& work = works_[onednn];
    if (!work) {
      work = set_up(name, onednn);
      seconds(work, 2);  // warms up
    }
    return work;
  }

  const std::vector<BenchCase> cases_ = all_cases();
  std::string row_;
  std::map<bool, Work> works_;
  std::unique_ptr<Translation> translation_;
};

}  // namespace

double seconds(const Work& work, int repeat, Clock clock) {
  const double start = now(clock);
  for (int i = 0; i < repeat; ++i) {
    work();
    Arena::current()->reset();
  }
  return (now(clock) - start) / repeat;
}

void serve_requests() {
  Worker worker;
  for (std::string line; std::getline(std::cin, line);) {
    json reply;
    try {
      reply = worker.answer(json::parse(line));
    } catch (const std::exception& error) {
      reply = {{"error", error.what()}};
    }
    std::cout << reply << std::endl;
  }
}

}  // namespace attune::bench
