// Any bytes are a vocabulary that gives back as many beginnings as tokens, or a UsageError.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "attune/error.h"
#include "text/utf8.h"
#include "text/vocabulary/vocabulary.h"

using namespace attune;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string content(reinterpret_cast<const char*>(data), size);
  if (!content.starts_with('{')) return 0;  // other vocabularies
  try {
    const auto words = parse_vocabulary(content, "fuzz");
    const std::string text =
        replace_invalid_utf8(content.substr(0, 300)) + " a'S 1234\r\n\u00C4\u4E2D [MASK]";
    const std::vector<int32_t> ids = words->encode(text);
    const std::vector<size_t> begins = words->begins(text);
    if (begins.size() != ids.size() || words->pieces(text).size() != ids.size()) std::abort();
    for (const size_t begin : begins)
      if (begin >= text.size()) std::abort();
    if (find_invalid_utf8(words->decode(ids))) std::abort();
  } catch (const UsageError&) {
  }
  return 0;
}
