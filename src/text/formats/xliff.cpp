// XLIFF 1.2 (<trans-unit>) and 2.x (<unit> with <segment>s): <source> and <target>. Codes of the text's own
// format (bpt, ept, ph, it, sub) are left out; the text in g, mrk and pc is kept. Proposals (<alt-trans>) and
// translations that are marked as not yet made are left out.
#include <fmt/core.h>

#include <algorithm>

#include "attune/error.h"
#include "text/formats/xml_reader.h"

namespace attune {
namespace {

bool one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

class XliffHandler : public XmlHandler {
 public:
  XliffHandler(const std::string& path, const TakeUnit& take) : path_(path), take_(take) {}

  void begin(const Element& element, int64_t line) override {
    const std::string_view name = element.name;
    if (skipped_ > 0 || one_of(name, {"alt-trans", "seg-source", "ignorable"}) ||
        (text_ != nullptr && one_of(name, {"bpt", "ept", "ph", "it", "sub"}))) {
      ++skipped_;
    } else if (one_of(name, {"xliff", "file"})) {
      note_language(source_, element, {"source-language", "srcLang"});
      note_language(target_, element, {"target-language", "trgLang"});
    } else if (one_of(name, {"trans-unit", "segment"})) {
      unit_ = {.line = line};
      bytes_ = 0;
      state_ = element.attribute("state");
    } else if (unit_.line > 0 && one_of(name, {"source", "target"})) {
      if (unit_.fields.size() == 2) refuse();
      if (name == "target" && state_.empty()) state_ = element.attribute("state");
      text_ = &unit_.fields.emplace_back(Field{name == "source" ? source_ : target_, {}}).text;
    }
  }

  void end(std::string_view name) override {
    if (skipped_ > 0) {
      --skipped_;
    } else if (one_of(name, {"source", "target"})) {
      text_ = nullptr;
    } else if (one_of(name, {"trans-unit", "segment"}) && unit_.line > 0) {
      if (one_of(state_, {"new", "needs-translation", "initial"})) {
        unit_.state = UnitState::omitted;
        unit_.reason = "not translated";
      }
      take_(std::exchange(unit_, {}));
    }
  }

  void text(std::string_view text) override {
    if (text_ == nullptr || skipped_ > 0) return;
    bytes_ += text.size();
    if (bytes_ > kLongestUnit) refuse();
    *text_ += text;
  }

 private:
  [[noreturn]] void refuse() const {
    throw UsageError(fmt::format("{}:{}: the unit should be a source and a target of at most {} MB", path_,
                                 unit_.line, kLongestUnit >> 20));
  }

  static void note_language(std::string& language, const Element& element,
                            std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names)
      if (const auto value = element.attribute(name); !value.empty()) language = value;
  }

  const std::string& path_;
  const TakeUnit& take_;
  std::string source_, target_;  // languages
  Unit unit_;
  std::string state_;
  size_t bytes_ = 0;
  std::string* text_ = nullptr;  // of the unit, where characters go
  int skipped_ = 0;              // elements that are open and left out
};

void read_xliff(const UnitInput& input, const TakeUnit& take) {
  XliffHandler handler(input.path, take);
  read_xml(input, handler);
}

const RegisterFormat registered{{.name = "XLIFF",
                                 .extensions = {".xlf", ".xliff"},
                                 .names = FieldNames::sides,
                                 .begins = [](std::string_view head) { return is_xml_of(head, "xliff"); },
                                 .read = read_xliff}};

}  // namespace
}  // namespace attune
