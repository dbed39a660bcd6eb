// What pages do not do: they read no HTML, no pictures and no archives, and learn no subwords.
#include "attune/error.h"
#include "io/arrays/zip.h"
#include "serve/engine/language_name.h"
#include "serve/markup/html_tokens.h"
#include "text/sentencepiece/trainer.h"
#include "vectors/picture.h"

namespace attune {
namespace {

[[noreturn]] void refuse(const char* what) {
  throw UsageError(std::string(what) + " in the browser; use attune on the command line");
}

}  // namespace

std::unique_ptr<Vocabulary> train_sentencepiece(const std::vector<TextLines>&, const VocabularyOptions&) {
  refuse("subwords cannot be learned");
}

bool is_picture(std::span<const std::byte>) { return false; }
PictureSize picture_size(std::span<const std::byte>, const std::string&) {
  refuse("pictures cannot be read");
}
Picture read_picture(std::span<const std::byte>, int64_t, const std::string&) {
  refuse("pictures cannot be read");
}
Vectors patches(const Picture&, int64_t, const std::string&) { refuse("pictures cannot be read"); }

std::vector<ZipEntry> zip_entries(std::span<const std::byte>, const std::string&) {
  refuse("archives cannot be read");
}
void unpack_zip(std::span<const std::byte>, const ZipEntry&, const std::string&,
                const std::function<void(std::span<const std::byte>)>&) {
  refuse("archives cannot be read");
}
ZipContent zip_content(std::span<const std::byte>, const ZipEntry&, const std::string&) {
  refuse("archives cannot be read");
}

namespace serve {

std::optional<HtmlReference> html_reference(std::string_view) { refuse("HTML cannot be translated"); }
std::string english_name(const std::string& code) {
  return code;
}  // the page knows better: Intl.DisplayNames

}  // namespace serve
}  // namespace attune
