#include "serve/markup/marked_output.h"

#include <algorithm>

#include "serve/markup/html.h"
#include "text/placeholders.h"

namespace attune::serve {
namespace {

// Token i of n looks at the i-th of n parts of the source.
Hypothesis with_diagonal(size_t source_tokens, Hypothesis output) {
  const auto tokens = std::max<size_t>(1, source_tokens);
  for (size_t i = 0; i < output.words.size(); ++i) {
    output.alignment.emplace_back(tokens, 0.0F);
    output.alignment.back()[i * tokens / output.words.size()] = 1;
  }
  return output;
}

using Escape = std::function<std::string(std::string_view)>;

std::vector<MarkupSpan> placeholders_of(std::string_view sentence, const Escape& escape) {
  std::vector<MarkupSpan> marks;
  for (const TextSpan& span : find_placeholders(sentence))
    marks.push_back(
        {span.begin, span.end, escape(sentence.substr(span.begin, span.end - span.begin)), "", true});
  return marks;
}

bool apart_or_inside(const MarkupSpan& a, const MarkupSpan& b) {
  return a.end <= b.begin || b.end <= a.begin || (a.begin >= b.begin && a.end <= b.end);
}

// Tags and placeholders in the order in which they begin; a placeholder that a tag cuts in two does not
// count.
std::vector<MarkupSpan> all_marks(std::vector<MarkupSpan> tags, std::vector<MarkupSpan> placeholders) {
  std::erase_if(placeholders, [&](const MarkupSpan& mark) {
    return !std::ranges::all_of(tags, [&](const MarkupSpan& tag) {
      return apart_or_inside(mark, tag) && !(tag.literal && mark.begin < tag.end && tag.begin < mark.end);
    });
  });
  for (MarkupSpan& mark : placeholders) {
    const auto place =
        std::ranges::upper_bound(tags, mark.begin, {}, &MarkupSpan::begin);  // after those around it
    tags.insert(place, std::move(mark));
  }
  return tags;
}

}  // namespace

std::string marked_text(const Translator& translator, const MarkedSentence& sentence,
                        const Hypothesis& output) {
  const Escape escape = [&](std::string_view plain) {
    return sentence.html ? escape_html(plain) : std::string(plain);
  };
  const std::string& source = sentence.part.text;
  const std::vector<int32_t>& tokens = sentence.part.tokens;
  auto placeholders = placeholders_of(source, escape);
  if (sentence.marks.empty() && placeholders.empty())
    return escape(translator.text(output, {.text = source}));
  const auto marks = all_marks(sentence.marks, std::move(placeholders));
  const auto placed = [&](const Hypothesis& aligned) {
    return place_markup(source, marks, aligned_output(translator.vocabularies(), source, tokens, aligned),
                        escape);
  };
  const bool is_aligned = !output.alignment.empty() || output.words.empty();
  return is_aligned ? placed(output) : placed(with_diagonal(tokens.size(), output));
}

}  // namespace attune::serve
