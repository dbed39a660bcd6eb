// The rules of NIST's mteval-v13a.pl for Western languages, which tercom uses too. They look only at ASCII,
// so they run over UTF-8 byte by byte.
#pragma once

#include <string>
#include <string_view>

namespace attune::metrics {

std::string replace_all(std::string text, std::string_view from, std::string_view to);

// &quot; &amp; &lt; &gt; to the characters that they stand for, in this order.
std::string unescape(std::string text);

// Spaces around all ASCII punctuation except ' , - and the full stop.
std::string space_punctuation(const std::string& text);

// Spaces around full stop and comma unless there are digits on both sides, and around a dash after a digit.
std::string space_stops_and_dashes(const std::string& text);

}  // namespace attune::metrics
