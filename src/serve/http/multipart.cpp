#include "serve/http/multipart.h"

#include <algorithm>

#include "base/ascii.h"

namespace attune::serve {
namespace {

constexpr auto kNone = std::string_view::npos;
constexpr size_t kLongestBoundary = 70;

std::string_view trimmed(std::string_view text) {
  const size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

// The value after "NAME=" in a header such as: form-data; name="q".
std::optional<std::string> parameter(std::string_view header, std::string_view name) {
  for (size_t at = header.find(';'); at != kNone && at < header.size();) {
    const size_t equals = header.find('=', at);
    if (equals == kNone) return {};
    const bool wanted = same_but_for_case(trimmed(header.substr(at + 1, equals - at - 1)), name);
    std::string value;
    at = equals + 1;
    if (header.substr(at).starts_with('"')) {
      for (++at; at < header.size() && header[at] != '"'; ++at) {
        if (header[at] == '\\' && at + 1 < header.size()) ++at;
        value += header[at];
      }
      at = header.find(';', std::min(at, header.size()));
    } else {
      const size_t end = std::min(header.find(';', at), header.size());
      value = trimmed(header.substr(at, end - at));
      at = end;
    }
    if (wanted) return value;
  }
  return {};
}

// The header that names a part.
std::string_view disposition(std::string_view head) {
  constexpr std::string_view name = "content-disposition:";
  while (!head.empty()) {
    const std::string_view line = head.substr(0, head.find("\r\n"));
    if (same_but_for_case(line.substr(0, name.size()), name)) return line.substr(name.size());
    head.remove_prefix(std::min(line.size() + 2, head.size()));
  }
  return {};
}

}  // namespace

std::string media_type(std::string_view content_type) {
  return ascii_small(trimmed(content_type.substr(0, content_type.find(';'))));
}

std::optional<FormFields> parse_multipart(std::string_view content_type, std::string_view body) {
  const auto boundary = parameter(content_type, "boundary");
  if (!boundary || boundary->empty() || boundary->size() > kLongestBoundary) return {};
  const std::string first = "--" + *boundary, next = "\r\n" + first;
  if (!body.starts_with(first)) return {};
  body.remove_prefix(first.size());
  FormFields fields;
  while (!body.starts_with("--")) {
    const size_t head_end = body.find("\r\n\r\n"), end = body.find(next, head_end);
    if (!body.starts_with("\r\n") || head_end == kNone || end == kNone) return {};
    const std::string_view named = disposition(body.substr(2, head_end - 2));
    const auto name = parameter(named, "name");
    if (!name) return {};
    const size_t begin = std::min(head_end + 4, end);
    if (!parameter(named, "filename")) fields.emplace_back(*name, body.substr(begin, end - begin));
    body.remove_prefix(end + next.size());
  }
  return fields;
}

}  // namespace attune::serve
