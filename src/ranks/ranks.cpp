#include "ranks/ranks.h"

#include <fmt/core.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>

#include "attune/threads.h"

namespace attune {

void Ranks::sum(std::span<double> /*values*/) {}
void Ranks::start_sum(std::span<float> /*values*/, int /*root*/) {}
void Ranks::start_broadcast(std::span<float> /*values*/, int /*from*/) {}
std::string Ranks::broadcast(const std::string& text) { return text; }
std::vector<std::string> Ranks::gather(const std::string& text) { return {text}; }

Ranks& alone() {
  static Ranks ranks;
  return ranks;
}

std::string who_is_who(std::span<const std::string> hosts) {
  std::string text;
  for (size_t i = 0; i < hosts.size(); ++i) {
    if (std::find(hosts.begin(), hosts.begin() + static_cast<int64_t>(i), hosts[i]) !=
        hosts.begin() + static_cast<int64_t>(i))
      continue;
    std::string numbers;
    for (size_t j = i; j < hosts.size(); ++j)
      if (hosts[j] == hosts[i]) numbers += fmt::format("{}{}", numbers.empty() ? "" : ", ", j);
    text += fmt::format("{}rank {} on {}", text.empty() ? "" : ", ", numbers, hosts[i]);
  }
  return text;
}

std::string host_name() {
  char name[HOST_NAME_MAX + 1] = {};
  return gethostname(name, HOST_NAME_MAX) == 0 ? name : "unknown";
}

int fair_threads(Ranks& ranks) {
  if (ranks.alone()) return threads();
  cpu_set_t processors;
  if (sched_getaffinity(0, sizeof(processors), &processors) != 0) CPU_ZERO(&processors);
  std::string mine = host_name() + ":";
  for (int i = 0; i < CPU_SETSIZE; ++i) mine += CPU_ISSET(i, &processors) ? '1' : '0';
  const auto sharing = std::ranges::count(ranks.gather(mine), mine);
  if (std::getenv("OMP_NUM_THREADS") != nullptr || CPU_COUNT(&processors) == 0) return threads();
  return std::max(1, CPU_COUNT(&processors) / static_cast<int>(sharing));
}

}  // namespace attune
