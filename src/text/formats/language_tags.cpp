#include "text/formats/language_tags.h"

#include <algorithm>

#include "base/ascii.h"

namespace attune {

TagMatch match_tags(std::string_view wanted, std::string_view tag) {
  const auto plain = [](char c) { return c == '_' ? '-' : ascii_small(c); };
  if (wanted == tag) return TagMatch::exact;
  if (wanted.empty() || tag.size() < wanted.size() ||
      !std::ranges::equal(wanted, tag.substr(0, wanted.size()), {}, plain, plain))
    return TagMatch::none;
  if (tag.size() == wanted.size()) return TagMatch::spelling;
  return plain(tag[wanted.size()]) == '-' ? TagMatch::region : TagMatch::none;
}

}  // namespace attune
