// Character references, decoded by libgumbo: 2,231 of them have names, some without a semicolon.
#include <gumbo.h>

#include <algorithm>
#include <memory>

#include "base/ascii.h"
#include "serve/markup/html_tokens.h"

namespace attune::serve {
namespace {

constexpr size_t kLongest = 40;

// The text that browsers show for HTML without tags.
std::string shown(std::string_view html) {
  GumboOptions options = kGumboDefaultOptions;
  options.fragment_context = GUMBO_TAG_DIV;
  const auto destroy = [&](GumboOutput* output) { gumbo_destroy_output(&options, output); };
  const std::unique_ptr<GumboOutput, decltype(destroy)> output(
      gumbo_parse_with_options(&options, html.data(), html.size()), destroy);
  const GumboVector& nodes = output->root->v.element.children;
  std::string text;
  for (unsigned i = 0; i < nodes.length; ++i) {
    const auto* node = static_cast<const GumboNode*>(nodes.data[i]);
    if (node->type == GUMBO_NODE_TEXT || node->type == GUMBO_NODE_WHITESPACE) text += node->v.text.text;
  }
  return text;
}

}  // namespace

std::optional<HtmlReference> html_reference(std::string_view text) {
  size_t length = 1;
  while (length < std::min(text.size(), kLongest) &&
         (is_ascii_letter(text[length]) || is_ascii_digit(text[length]) || text[length] == '#'))
    ++length;
  if (length == 1) return {};
  if (text.substr(length).starts_with(';')) ++length;
  const std::string_view written = text.substr(0, length);
  std::string read = shown(written);
  // A common ending is not part of the reference: "&notit;" is shown as "¬it;".
  const auto [a, b] = std::ranges::mismatch(written.rbegin(), written.rend(), read.rbegin(), read.rend());
  const auto same = static_cast<size_t>(a - written.rbegin());
  if (same == written.size()) return {};
  read.resize(read.size() - same);
  return HtmlReference{length - same, std::move(read)};
}

}  // namespace attune::serve
