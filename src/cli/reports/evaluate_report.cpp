#include "cli/reports/evaluate_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "view/width.h"

namespace attune::cli {
namespace {

using metrics::Interval;

std::string text_of(const Interval& interval, int digits) {
  return fmt::format("{:.{}f} ± {:.{}f}", interval.mean, digits, interval.half_width, digits);
}

std::string text_of(const Result& result, int digits) {
  std::string text = fmt::format("{:.{}f}", result.score.value, digits);
  if (result.interval) text += fmt::format(" (μ = {})", text_of(*result.interval, digits));
  return text;
}

std::string cell(const Result& result, int digits) {
  std::string text = fmt::format("{:.{}f}", result.score.value, digits);
  if (result.interval) text += fmt::format(" ({})", text_of(*result.interval, digits));
  if (result.p_value)
    text += fmt::format(" p = {:.4f}{}", *result.p_value, *result.p_value <= 0.05 ? "*" : "");
  return text;
}

// Columns as wide as their widest cell, two spaces between them.
std::string grid(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths(rows.front().size());
  for (const auto& row : rows)
    for (size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], view::display_width(row[c]));
  std::string text;
  for (const auto& row : rows) {
    for (size_t c = 0; c < row.size(); ++c) {
      text += c + 1 < row.size() ? view::pad_right(row[c], widths[c] + 2) : row[c] + '\n';
    }
  }
  return text;
}

}  // namespace

std::string as_lines(std::span<const Result> results, int digits, bool score_only) {
  std::vector<std::string> left, right;
  size_t widest = 0;
  for (const Result& result : results) {
    left.push_back(fmt::format("{}|{}", result.score.name, metrics::to_string(result.signature)));
    right.push_back(text_of(result, digits));
    if (!score_only && !result.score.verbose.empty()) right.back() += ' ' + result.score.verbose;
    widest = std::max(widest, left.back().size());
  }
  std::string text;
  for (size_t i = 0; i < left.size(); ++i)
    text += score_only ? right[i] + '\n' : fmt::format("{:>{}} = {}\n", left[i], widest, right[i]);
  return text;
}

std::string as_table(std::span<const Result> results, int digits) {
  std::vector<std::vector<std::string>> rows{{"System"}};
  std::vector<std::vector<std::string>> signatures;
  for (const Result& result : results) {
    if (result.system == results.front().system) {
      rows.front().push_back(result.score.name + (result.higher_is_better ? "" : " (lower is better)"));
      signatures.push_back({result.score.name, metrics::to_string(result.signature)});
    }
    if (rows.size() == 1 || rows.back().front() != result.system) rows.push_back({result.system});
    rows.back().push_back(cell(result, digits));
  }
  return grid(rows) + "\nSignatures\n" + grid(signatures);
}

std::string JsonList::add(const Result& result) {
  nlohmann::ordered_json entry{{"name", result.score.name},
                               {"score", result.score.value},
                               {"signature", metrics::to_string(result.signature)}};
  entry["system"] = result.system;
  if (result.line) entry["line"] = *result.line;
  if (result.interval) {
    entry["confidence_mean"] = result.interval->mean;
    entry["confidence_var"] = result.interval->half_width;
  }
  if (result.p_value) entry["p_value"] = *result.p_value;
  for (const auto& [key, value] : result.score.parts) entry[key] = value;
  if (!result.score.verbose.empty()) entry["verbose_score"] = result.score.verbose;
  for (const auto& [key, value] : result.signature) entry[key] = value;
  const std::string list = nlohmann::ordered_json::array({entry}).dump(1);  // "[\n {..}\n]"
  std::string text = std::exchange(empty_, false) ? "[" : ",";
  return text.append(list, 1, list.size() - 3);
}

std::string JsonList::end() const { return empty_ ? "[]\n" : "\n]\n"; }

std::string as_json(std::span<const Result> results) {
  JsonList list;
  std::string text;
  for (const Result& result : results) text += list.add(result);
  return text + list.end();
}

}  // namespace attune::cli
