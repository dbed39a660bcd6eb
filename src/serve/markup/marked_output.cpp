#include "serve/markup/marked_output.h"

#include <algorithm>

#include "serve/markup/html.h"
#include "text/placeholders.h"

namespace attune::serve {
namespace {

// Token i of n looks at the i-th of n parts of the source.
Hypothesis with_diagonal(const Translator& translator, const std::string& sentence, Hypothesis output) {
  const auto tokens = std::max<size_t>(1, translator.tokens(sentence).size());
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
  const std::string text = translator.text(output, {.text = sentence.text});
  auto placeholders = placeholders_of(sentence.text, escape);
  if (sentence.marks.empty() && placeholders.empty()) return escape(text);
  const bool aligned = !output.alignment.empty() || output.words.empty();
  const AlignedOutput placed = aligned ? aligned_output(translator.vocabularies(), sentence.text, output)
                                       : aligned_output(translator.vocabularies(), sentence.text,
                                                        with_diagonal(translator, sentence.text, output));
  return place_markup(sentence.text, all_marks(sentence.marks, std::move(placeholders)), placed, escape);
}

}  // namespace attune::serve
