#include "text/writing.h"

#include "text/characters.h"
#include "text/scripts.h"
#include "text/utf8.h"

namespace attune {
namespace {

constexpr double kChinese = 0.8;  // of the unspaced letters; about half of Japanese ones are kana

}  // namespace

Writing writing_of(std::span<const std::string> lines) {
  int64_t letters = 0, unspaced = 0, chinese = 0;
  for (const std::string& line : lines)
    for (Utf8Reader reader(line); const auto c = reader.next();) {
      letters += is_in(c->value, kLetters) ? 1 : 0;
      unspaced += is_unspaced(c->value) ? 1 : 0;
      chinese += is_chinese(c->value) ? 1 : 0;
    }
  if (2 * unspaced <= letters) return Writing::spaced;
  return static_cast<double>(chinese) >= kChinese * static_cast<double>(unspaced) ? Writing::chinese
                                                                                  : Writing::unspaced;
}

}  // namespace attune
