// Any text is HTML of some kind: it is cut, its marks are placed in an output with the words in another
// order, and every tag is still there. No byte is lost.
#include <cstdint>
#include <cstdlib>

#include "serve/markup/cut_document.h"
#include "serve/markup/html.h"
#include "text/placeholders.h"
#include "text/utf8.h"

using namespace attune;
using namespace attune::serve;

namespace {

// The bytes of the sentence in an order that depends on the seed.
AlignedOutput shuffled(const std::string& sentence, size_t seed) {
  AlignedOutput output;
  for (size_t i = 0; i < sentence.size(); ++i) {
    const size_t from = (i * 7 + seed) % sentence.size();
    output.text += sentence[from];
    output.tokens.push_back({i, i + 1, from, from + 1});
  }
  return output;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string html(reinterpret_cast<const char*>(data), size);
  if (find_invalid_utf8(html)) return 0;
  size_t bytes = 0;
  for (const HtmlRun& run : cut_html(html)) {
    bytes += run.before.size() + run.as_written(0, run.text.size()).size();
    for (const MarkupSpan& mark : run.marks)
      bytes += mark.before.size() + mark.after.size() -
               (mark.literal ? run.as_written(mark.begin, mark.end).size() : 0);
  }
  if (bytes != html.size()) std::abort();
  const auto one = [](const std::string&) { return std::vector<int32_t>{3}; };
  for (const CutLine& line : cut_html_document(html, 0, one))
    for (size_t i = 0; i < line.parts.size(); ++i) {
      const std::string& sentence = line.parts[i].text;
      const std::string placed = place_markup(sentence, line.marks[i], shuffled(sentence, size), escape_html);
      for (const MarkupSpan& mark : line.marks[i])
        if (placed.find(mark.before) == std::string::npos || placed.find(mark.after) == std::string::npos)
          std::abort();
      for (const TextSpan& span : find_placeholders(sentence))
        if (span.end > sentence.size() || span.begin >= span.end) std::abort();
    }
  cut_document(html, 0, one);
  return 0;
}
