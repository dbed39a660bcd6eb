#include "serve/markup/cut_document.h"

#include <algorithm>
#include <span>

#include "serve/markup/html.h"
#include "text/characters.h"
#include "text/utf8.h"

namespace attune::serve {
namespace {

CutLine cut_line(std::string_view line, int64_t longest, const MakeTokens& tokens) {
  CutLine cut;
  const size_t end = line.find_last_not_of("\r\n") + 1;
  cut.after = line.substr(end);
  line = line.substr(0, end);
  if (!has_letters(line)) {
    cut.before = line;
    return cut;
  }
  size_t spaces = 0;
  for (Utf8Reader reader(line); const auto c = reader.next();) {
    if (!is_white_space(c->value)) break;
    spaces += c->bytes.size();
  }
  cut.before = line.substr(0, spaces);
  cut.parts = cut_text(std::string(line.substr(spaces)), {longest, true}, tokens).parts;
  cut.after = cut.parts.back().space + cut.after;
  return cut;
}

// Turns the marks of a line into marks of its parts, the first of which begins at byte `begin`. A mark that
// spans several parts goes into each.
std::vector<std::vector<MarkupSpan>> marks_of_parts(const std::vector<MarkupSpan>& marks,
                                                    const std::vector<CutPart>& parts, size_t begin) {
  std::vector<size_t> begins, ends;
  for (const CutPart& part : parts) {
    begins.push_back(ends.empty() ? begin : ends.back() + parts[ends.size() - 1].space.size());
    ends.push_back(begins.back() + part.text.size());
  }
  std::vector<std::vector<MarkupSpan>> result(parts.size());
  for (const MarkupSpan& mark : marks) {
    const auto first = static_cast<size_t>(std::ranges::upper_bound(ends, mark.begin) - ends.begin());
    bool placed = false;
    for (size_t i = first; i < parts.size() && begins[i] < mark.end; ++i) {
      const bool told = placed && mark.literal;  // the first part stands for all of them
      result[i].push_back({std::max(mark.begin, begins[i]) - begins[i],
                           std::min(mark.end, ends[i]) - begins[i], told ? "" : mark.before,
                           told ? "" : mark.after, mark.literal});
      placed = true;
    }
    if (placed) continue;
    // It contains nothing to translate: it stays where it is, or where the next part begins.
    const auto i = static_cast<size_t>(
        std::min(std::ranges::lower_bound(ends, mark.begin), std::prev(ends.end())) - ends.begin());
    const size_t place = std::clamp(mark.begin, begins[i], ends[i]) - begins[i];
    result[i].push_back({place, place, mark.before + mark.after, ""});
  }
  return result;
}

}  // namespace

bool has_letters(std::string_view text) {
  for (Utf8Reader reader(text); const auto c = reader.next();)
    if (is_in(c->value, kLetters)) return true;
  return false;
}

std::vector<CutLine> cut_document(std::string_view text, int64_t longest, const MakeTokens& tokens) {
  std::vector<CutLine> lines;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, std::min(text.find('\n'), text.size() - 1) + 1);
    lines.push_back(cut_line(line, longest, tokens));
    text.remove_prefix(line.size());
  }
  return lines;
}

std::vector<CutLine> cut_html_document(std::string_view html, int64_t longest, const MakeTokens& tokens) {
  std::vector<CutLine> lines;
  for (const HtmlRun& run : cut_html(html)) {
    CutLine line = cut_line(run.text, longest, tokens);
    if (!line.parts.empty()) line.marks = marks_of_parts(run.marks, line.parts, line.before.size());
    const size_t size = run.text.size();
    size_t at = line.before.size();
    line.before = run.as_written(0, at);
    line.after = run.as_written(size - line.after.size(), size);
    for (CutPart& part : line.parts) {
      at += part.text.size();
      const size_t end = at + part.space.size();
      part.space = run.as_written(at, end);
      at = end;
    }
    line.before.insert(0, run.before);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string join_document(const std::vector<CutLine>& lines, const std::vector<std::string>& outputs) {
  std::string text;
  std::span<const std::string> rest(outputs);
  for (const CutLine& line : lines) {
    text += line.before + join_outputs(line.parts, rest.first(line.parts.size())) + line.after;
    rest = rest.subspan(line.parts.size());
  }
  return text;
}

}  // namespace attune::serve
