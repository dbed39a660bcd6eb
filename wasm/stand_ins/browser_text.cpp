// What the browser knows of texts: words, sentences, small letters, normal forms. Texts go to JavaScript as
// UTF-8, and positions come back in bytes. (Emscripten 3.1's optimiser of JavaScript does not know all of it,
// such as destructuring.)
#include <emscripten.h>

#include <cstdlib>
#include <memory>

#include "text/breaks.h"
#include "text/characters.h"

// It is JavaScript:
// clang-format off

// The number of bytes up to the end of each segment, into memory that the caller frees, after their number.
EM_JS(int32_t*, attune_segments, (const char* begin, size_t size, int sentences), {
  const text = UTF8ToString(begin, size);
  const segmenter = new Intl.Segmenter("en", { granularity: sentences ? "sentence" : "word" });
  const ends = [];
  let at = 0;
  Array.from(segmenter.segment(text)).forEach((part) => ends.push(at += lengthBytesUTF8(part.segment)));
  const memory = _malloc(4 * (ends.length + 1));
  HEAP32[memory >> 2] = ends.length;
  HEAP32.set(ends, (memory >> 2) + 1);
  return memory;
});

EM_JS(char*, attune_changed_text, (const char* begin, size_t size, int small), {
  const text = UTF8ToString(begin, size);
  const changed = small ? text.toLowerCase() : text.normalize("NFC");
  const room = lengthBytesUTF8(changed) + 1, memory = _malloc(room);
  stringToUTF8(changed, memory, room);
  return memory;
});

// clang-format on

namespace attune {
namespace {

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};

std::vector<size_t> segments(std::string_view text, bool sentences) {
  const std::unique_ptr<int32_t, Free> ends(attune_segments(text.data(), text.size(), sentences ? 1 : 0));
  const int32_t* numbers = ends.get();
  std::vector<size_t> breaks{0};
  for (int32_t i = 1; i <= numbers[0]; ++i) breaks.push_back(static_cast<size_t>(numbers[i]));
  return breaks;
}

// UTF8ToString stops at NUL; what follows one stays as it is.
std::string changed(std::string_view text, bool small) {
  const size_t end = std::min(text.find('\0'), text.size());
  const std::unique_ptr<char, Free> result(attune_changed_text(text.data(), end, small ? 1 : 0));
  return std::string(result.get()).append(text.substr(end));
}

}  // namespace

std::vector<size_t> sentence_breaks(std::string_view text) { return segments(text, true); }
std::vector<size_t> word_breaks(std::string_view text) { return segments(text, false); }
std::string small_letters(std::string_view text) { return changed(text, true); }
std::string composed_text(std::string_view text) { return changed(text, false); }

}  // namespace attune
