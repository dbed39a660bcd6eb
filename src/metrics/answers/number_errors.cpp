#include "metrics/answers/number_errors.h"

#include <fmt/core.h>

#include <charconv>
#include <cmath>

#include "attune/error.h"

namespace attune::metrics {
namespace {

std::vector<double> numbers(std::string_view line) {
  constexpr std::string_view kBetween = " \t,;\r";
  std::vector<double> all;
  for (size_t begin = line.find_first_not_of(kBetween); begin != std::string_view::npos;) {
    const size_t end = std::min(line.find_first_of(kBetween, begin), line.size());
    double value = 0;
    const auto [stop, error] = std::from_chars(line.data() + begin, line.data() + end, value);
    if (error != std::errc() || stop != line.data() + end || !std::isfinite(value))
      throw UsageError(fmt::format("'{}' is not a number", line.substr(begin, end - begin)));
    all.push_back(value);
    begin = line.find_first_not_of(kBetween, end);
  }
  return all;
}

}  // namespace

Statistics NumberErrors::statistics(std::string_view hypothesis,
                                    std::span<const std::string> references) const {
  const std::vector<double> found = numbers(hypothesis), right = numbers(references[0]);
  if (found.size() != right.size())
    throw UsageError(
        fmt::format("there are {} numbers, but {} in the reference", found.size(), right.size()));
  double sum = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    const double error = found[i] - right[i];
    sum += kind_ == Kind::squared ? error * error : std::abs(error);
  }
  return {sum, static_cast<double>(found.size())};
}

}  // namespace attune::metrics
