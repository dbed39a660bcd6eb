// 13a: the tokenisation of mteval-v13a.pl, which WMT uses.
#include "metrics/tokenize/tokenize.h"
#include "metrics/tokenize/western.h"

namespace attune::metrics {
namespace {

std::string tokenize_13a(std::string_view line) {
  const std::string text = unescape(replace_all(std::string(line), "<skipped>", ""));
  return space_stops_and_dashes(space_punctuation(' ' + text + ' '));
}

const RegisterTokenizer registered("13a", tokenize_13a);

}  // namespace
}  // namespace attune::metrics
