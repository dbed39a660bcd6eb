// The tokens of HTML as browsers read them (the tokenization of the HTML standard), each with its source
// bytes. Any text is HTML; every byte belongs to a token, and it takes linear time.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attune::serve {

struct HtmlToken {
  enum class Kind {
    text,   // may have character references
    raw,    // text without them: of scripts and the like
    start,  // tags
    end,
    other,  // not shown: comments, document types, tags that never end
  };
  Kind kind;
  std::string_view source;
  std::string name = {};  // of a tag, in small letters

  struct Attribute {
    std::string_view name, value;  // as they were written, without quotes
  };
  std::vector<Attribute> attributes = {};

  // Empty if there is none; the first one counts.
  std::string_view attribute(std::string_view name) const;
};

class HtmlTokens {
 public:
  explicit HtmlTokens(std::string_view html) : html_(html) {}
  std::optional<HtmlToken> next();

 private:
  HtmlToken take(HtmlToken::Kind kind, size_t end);
  HtmlToken take_tag(HtmlToken::Kind kind, size_t name);
  HtmlToken take_comment();
  bool attribute_at(size_t& at, HtmlToken& token) const;
  std::optional<size_t> end_of_raw() const;
  bool letter_at(size_t at) const;

  std::string_view html_;
  size_t at_ = 0;
  std::string raw_ = {};    // the element whose text has no tags
  bool references_ = true;  // but references
};

// The character reference at the '&' with which a text begins: its length in bytes, and what it stands for.
// Nothing if there is none.
struct HtmlReference {
  size_t length;
  std::string text;
};
std::optional<HtmlReference> html_reference(std::string_view text);

}  // namespace attune::serve
