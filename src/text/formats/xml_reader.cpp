#include "text/formats/xml_reader.h"

#include <expat.h>
#include <fmt/core.h>

#include <exception>

#include "attune/error.h"
#include "base/ascii.h"
#include "base/check.h"

namespace attune {
namespace {

constexpr size_t kChunk = 1 << 16;
constexpr int kDeepest = 200;
constexpr size_t kLongestTag = 1 << 20;

std::string_view without_namespace(std::string_view name) {
  if (name.starts_with("xml:")) return name;
  return name.substr(name.rfind(':') + 1);
}

// Exceptions may not pass through the library: they are kept, and the parser is stopped.
class Parser {
 public:
  Parser(const UnitInput& input, XmlHandler& handler)
      : input_(input),
        handler_(handler),
        parser_(XML_ParserCreate(input.text.marked() ? "UTF-8" : nullptr), XML_ParserFree) {
    check(parser_ != nullptr, "{}: out of memory", input.path);
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(parser_.get(), on_begin, on_end);
    XML_SetCharacterDataHandler(parser_.get(), on_text);
    XML_SetDefaultHandler(parser_.get(), [](void* self, const XML_Char*, int) { as_parser(self).moved(); });
    XML_SetEntityDeclHandler(
        parser_.get(), [](void* self, const XML_Char* name, int, const XML_Char*, int, const XML_Char*,
                          const XML_Char*, const XML_Char*, const XML_Char*) {
          as_parser(self).guarded([&](Parser& p) {
            p.refuse(fmt::format("it defines an entity of its own ({}); such files are not read", name));
          });
        });
    XML_SetSkippedEntityHandler(parser_.get(), [](void* self, const XML_Char* name, int) {
      as_parser(self).guarded([&](Parser& p) { p.refuse(fmt::format("nothing says what &{}; is", name)); });
    });
  }

  void operator()() {
    std::vector<char> chunk(kChunk);
    for (bool last = false; !last;) {
      const size_t got = input_.text.read(chunk);
      last = got == 0;
      fed_ += got;
      const auto status = XML_Parse(parser_.get(), chunk.data(), static_cast<int>(got), last ? 1 : 0);
      if (error_) std::rethrow_exception(error_);
      if (status != XML_STATUS_OK) refuse(reason(last));
      if (fed_ - last_event_ > kLongestTag) refuse("a tag is longer than 1 MB");
    }
  }

 private:
  static Parser& as_parser(void* self) { return *static_cast<Parser*>(self); }

  template <class Body>
  void guarded(const Body& body) {
    moved();
    if (error_) return;
    try {
      body(*this);
    } catch (...) {
      error_ = std::current_exception();
      XML_StopParser(parser_.get(), XML_FALSE);
    }
  }

  static void on_begin(void* self, const XML_Char* name, const XML_Char** attributes) {
    as_parser(self).guarded([&](Parser& p) {
      if (++p.depth_ > kDeepest) p.refuse(fmt::format("its elements are nested more than {} deep", kDeepest));
      XmlHandler::Element element{without_namespace(name), {}};
      for (; *attributes != nullptr; attributes += 2)
        element.attributes.emplace_back(without_namespace(attributes[0]), attributes[1]);
      p.handler_.begin(element, p.line());
    });
  }
  static void on_end(void* self, const XML_Char* name) {
    as_parser(self).guarded([&](Parser& p) {
      --p.depth_;
      p.handler_.end(without_namespace(name));
    });
  }
  static void on_text(void* self, const XML_Char* text, int count) {
    as_parser(self).guarded([&](Parser& p) { p.handler_.text({text, static_cast<size_t>(count)}); });
  }

  void moved() { last_event_ = fed_; }
  int64_t line() const { return static_cast<int64_t>(XML_GetCurrentLineNumber(parser_.get())); }

  std::string reason(bool last) const {
    const XML_Error code = XML_GetErrorCode(parser_.get());
    if (last && (code == XML_ERROR_NO_ELEMENTS || code == XML_ERROR_UNCLOSED_TOKEN ||
                 code == XML_ERROR_UNCLOSED_CDATA_SECTION || code == XML_ERROR_PARTIAL_CHAR))
      return "the file is incomplete; it was cut off";
    if (code == XML_ERROR_INVALID_TOKEN)
      return "this is not well-formed XML, or not in the encoding it names";
    return fmt::format("this is not XML that can be read ({})", XML_ErrorString(code));
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw UsageError(fmt::format("{}:{}: {}", input_.path, line(), why));
  }

  const UnitInput& input_;
  XmlHandler& handler_;
  std::unique_ptr<XML_ParserStruct, void (*)(XML_Parser)> parser_;
  std::exception_ptr error_;
  int depth_ = 0;
  size_t fed_ = 0, last_event_ = 0;  // bytes
};

}  // namespace

std::string_view XmlHandler::Element::attribute(std::string_view wanted) const {
  for (const auto& [key, value] : attributes)
    if (same_but_for_case(key, wanted)) return value;
  return {};
}

void read_xml(const UnitInput& input, XmlHandler& handler) { Parser(input, handler)(); }

bool is_xml_of(std::string_view head, std::string_view root) {
  for (;;) {
    const size_t open = head.find_first_not_of(" \t\r\n");
    if (open == std::string_view::npos || head[open] != '<') return false;
    head.remove_prefix(open + 1);
    const bool comment = head.starts_with("!--");
    if (!comment && !head.starts_with('?') && !head.starts_with('!')) break;
    const std::string_view close = comment ? "-->" : ">";
    const size_t end = head.find(close);
    if (end == std::string_view::npos) return false;
    head.remove_prefix(end + close.size());
  }
  const std::string_view name = head.substr(0, head.find_first_of(" \t\r\n/>"));
  return same_but_for_case(without_namespace(name), root);
}

}  // namespace attune
