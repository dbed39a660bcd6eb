// TMX 1.1 to 1.4 (Translation Memory eXchange): <tu> with a <tuv xml:lang="en"><seg>...</seg></tuv> for each
// language. Codes of the text's own format (bpt, ept, ph, it, ut) are left out; <hi> is kept.
#include <fmt/core.h>

#include "attune/error.h"
#include "base/ascii.h"
#include "text/formats/xml_reader.h"

namespace attune {
namespace {

bool is_code(std::string_view name) {
  for (const std::string_view code : {"bpt", "ept", "ph", "it", "ut"})
    if (same_but_for_case(name, code)) return true;
  return false;
}

class TmxHandler : public XmlHandler {
 public:
  TmxHandler(const std::string& path, const TakeUnit& take) : path_(path), take_(take) {}

  void begin(const Element& element, int64_t line) override {
    if (in_codes_ > 0 || (in_segment_ && is_code(element.name))) {
      ++in_codes_;
    } else if (same_but_for_case(element.name, "tu")) {
      unit_ = {.line = line};
      bytes_ = 0;
    } else if (same_but_for_case(element.name, "tuv")) {
      const std::string_view language = element.attribute("xml:lang");
      unit_.fields.push_back({std::string(language.empty() ? element.attribute("lang") : language), {}});
      count(sizeof(Field) + unit_.fields.back().name.size());
    } else if (same_but_for_case(element.name, "seg")) {
      in_segment_ = !unit_.fields.empty();
    }
  }

  void end(std::string_view name) override {
    if (in_codes_ > 0)
      --in_codes_;
    else if (same_but_for_case(name, "seg"))
      in_segment_ = false;
    else if (same_but_for_case(name, "tu"))
      take_(std::exchange(unit_, {}));
  }

  void text(std::string_view text) override {
    if (!in_segment_ || in_codes_ > 0) return;
    count(text.size());
    unit_.fields.back().text += text;
  }

 private:
  void count(size_t bytes) {
    bytes_ += bytes;
    if (bytes_ > kLongestUnit)
      throw UsageError(
          fmt::format("{}:{}: the unit has more than {} MB", path_, unit_.line, kLongestUnit >> 20));
  }

  const std::string& path_;
  const TakeUnit& take_;
  Unit unit_;
  size_t bytes_ = 0;
  bool in_segment_ = false;
  int in_codes_ = 0;
};

void read_tmx(const UnitInput& input, const TakeUnit& take) {
  TmxHandler handler(input.path, take);
  read_xml(input, handler);
}

const RegisterFormat registered{{.name = "TMX",
                                 .extensions = {".tmx"},
                                 .names = FieldNames::languages,
                                 .begins = [](std::string_view head) { return is_xml_of(head, "tmx"); },
                                 .read = read_tmx}};

}  // namespace
}  // namespace attune
