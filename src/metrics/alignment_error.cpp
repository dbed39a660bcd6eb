#include "metrics/alignment_error.h"

#include <fmt/core.h>

#include <set>
#include <utility>

#include "attune/error.h"
#include "metrics/tokenize/unicode.h"
#include "text/word_links.h"

namespace attune::metrics {
namespace {

enum At { kLinks, kSure, kLinksSure, kLinksPossible, kSize };

WordLink read(std::string_view text) {
  if (const auto link = read_link(text)) return *link;
  throw UsageError(
      fmt::format("AER: '{}' is not a link: write 3-4 (sure) or 3p4 (possible), counted from 0", text));
}

double ratio(double part, double all) { return all > 0 ? part / all : 1; }

}  // namespace

Statistics AlignmentError::statistics(std::string_view hypothesis,
                                      std::span<const std::string> references) const {
  if (references.size() != 1) throw UsageError("AER: give one gold file, with possible links written as ipj");
  std::set<std::pair<int32_t, int32_t>> links, sure, possible;
  for (const std::string_view text : split(hypothesis)) {
    const WordLink link = read(text);
    links.emplace(link.source, link.target);
  }
  for (const std::string_view text : split(references.front())) {
    const WordLink link = read(text);
    possible.emplace(link.source, link.target);
    if (link.sure) sure.emplace(link.source, link.target);
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
