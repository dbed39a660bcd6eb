#include "metrics/alignment_error.h"

#include <fmt/core.h>

#include <charconv>
#include <set>
#include <utility>

#include "attune/error.h"
#include "metrics/unicode.h"

namespace attune::metrics {
namespace {

enum At { kLinks, kSure, kLinksSure, kLinksPossible, kSize };

struct Link {
  std::pair<int, int> words;
  bool sure;
};

Link read_link(std::string_view text) {
  const char* const end = text.data() + text.size();
  int source = 0, target = 0;
  const auto first = std::from_chars(text.data(), end, source);
  if (first.ec == std::errc{} && first.ptr != end && (*first.ptr == '-' || *first.ptr == 'p')) {
    const auto second = std::from_chars(first.ptr + 1, end, target);
    if (second.ec == std::errc{} && second.ptr == end && source >= 0 && target >= 0)
      return {{source, target}, *first.ptr == '-'};
  }
  throw UsageError(
      fmt::format("AER: '{}' is no link; write 3-4 (sure) or 3p4 (possible), counted from 0", text));
}

double ratio(double part, double all) { return all > 0 ? part / all : 1; }

}  // namespace

Statistics AlignmentError::statistics(std::string_view hypothesis,
                                      std::span<const std::string> references) const {
  if (references.size() != 1)
    throw UsageError("AER: give one gold file, in which possible links are written ipj");
  std::set<std::pair<int, int>> links, sure, possible;
  for (const std::string_view text : split(hypothesis)) links.insert(read_link(text).words);
  for (const std::string_view text : split(references.front())) {
    const Link link = read_link(text);
    possible.insert(link.words);
    if (link.sure) sure.insert(link.words);
  }
  Statistics result(kSize);
  result[kLinks] = static_cast<double>(links.size());
  result[kSure] = static_cast<double>(sure.size());
  for (const auto& link : links) {
    result[kLinksSure] += static_cast<double>(sure.count(link));
    result[kLinksPossible] += static_cast<double>(possible.count(link));
  }
  return result;
}

double AlignmentError::value(const Statistics& totals) const {
  return 100 * (1 - ratio(totals[kLinksSure] + totals[kLinksPossible], totals[kLinks] + totals[kSure]));
}

std::string AlignmentError::verbose(const Statistics& totals) const {
  const Parts p = parts(totals);
  return fmt::format("(precision = {:.1f} recall = {:.1f} links = {:.0f} sure = {:.0f})", p[0].second,
                     p[1].second, totals[kLinks], totals[kSure]);
}

Parts AlignmentError::parts(const Statistics& totals) const {
  return {{"precision", 100 * ratio(totals[kLinksPossible], totals[kLinks])},
          {"recall", 100 * ratio(totals[kLinksSure], totals[kSure])}};
}

}  // namespace attune::metrics
