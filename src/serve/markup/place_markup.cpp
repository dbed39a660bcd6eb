#include "serve/markup/place_markup.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>

#include "text/boundaries.h"

namespace attune::serve {
namespace {

// Where each token ends in the decoded text. A token that is part of a character ends where the character //
// ends.
std::vector<size_t> token_ends(const Vocabulary& vocabulary, std::span<const int32_t> ids,
                               const std::string& text) {
  std::vector<size_t> ends;
  size_t last = 0;
  for (size_t i = 1; i <= ids.size(); ++i) {
    const std::string prefix = vocabulary.decode(ids.first(i));
    if (text.starts_with(prefix)) last = std::max(last, prefix.size());
    ends.push_back(last);
  }
  if (!ends.empty()) ends.back() = text.size();
  return ends;
}

// Bytes of a text.
struct Span {
  size_t begin, end;
  bool empty() const { return begin == end; }
};

// What marks are put around: a word, or a token if a mark divides a word of the sentence.
struct Unit {
  Span text;
  Span tokens;         // the tokens that it has bytes of
  bool taken = false;  // by a placeholder that the model wrote itself
};

bool glued_before(std::string_view text) { return ends_in_word(text) && !ends_without_blank(text); }
bool glued_behind(std::string_view text) { return begins_in_word(text) && !begins_without_blank(text); }

class Placing {
 public:
  Placing(std::string_view sentence, const std::vector<MarkupSpan>& marks, const AlignedOutput& output,
          const std::function<std::string(std::string_view)>& escape)
      : sentence_(sentence),
        marks_(marks),
        output_(output),
        escape_(escape),
        sentence_words_(word_boundaries(sentence)),
        output_words_(word_boundaries(output.text)) {
    for (size_t i = 1; i < output_words_.size(); ++i)
      add_unit(words_, {output_words_[i - 1], output_words_[i]});
    for (const auto& token : output.tokens) add_unit(tokens_, {token.begin, token.end});
    find_anchors();
  }

  std::string all() {
    const Span text{0, output_.text.size()};
    write({0, marks_.size()}, text, {0, sentence_.size()});
    return std::move(text_);
  }

 private:
  struct Placed {
    size_t mark, children_end;
    Span text;
  };

  void add_unit(std::vector<Unit>& units, Span text) const {
    while (text.begin < text.end && output_.text[text.begin] == ' ') ++text.begin;
    while (text.begin < text.end && output_.text[text.end - 1] == ' ') --text.end;
    if (text.empty()) return;
    const auto& tokens = output_.tokens;
    const auto first = std::ranges::upper_bound(tokens, text.begin, {}, &AlignedOutput::Token::end);
    auto last = first;
    while (last != tokens.end() && last->begin < text.end) ++last;
    units.push_back(
        {text, {static_cast<size_t>(first - tokens.begin()), static_cast<size_t>(last - tokens.begin())}});
  }

  // The placeholders that the model wrote itself, each in its place.
  void find_anchors() {
    anchors_.resize(marks_.size());
    std::map<std::string_view, size_t> next;
    for (size_t m = 0; m < marks_.size(); ++m) {
      const MarkupSpan& mark = marks_[m];
      const std::string_view text = sentence_.substr(mark.begin, mark.end - mark.begin);
      if (!mark.literal || text.empty() || mark.before != escape_(text)) continue;
      const size_t at = output_.text.find(text, next[text]);
      if (at == std::string::npos) continue;
      anchors_[m] = Span{at, at + text.size()};
      next[text] = at + text.size();
      for (std::vector<Unit>* units : {&words_, &tokens_})
        for (Unit& unit : *units)
          if (unit.text.begin < at + text.size() && unit.text.end > at) unit.taken = true;
    }
  }

  // Puts the marks of a range, with their children, into a part of the output.
  void write(Span marks, Span within, Span source) {
    std::vector<Placed> placed;
    for (size_t m = marks.begin; m < marks.end;) {
      size_t next = m + 1;
      while (next < marks.end && marks_[next].begin < marks_[m].end && marks_[next].end <= marks_[m].end)
        ++next;
      Span text = anchors_[m] ? *anchors_[m] : find(marks_[m], within, source);
      for (size_t child = m + 1; child < next; ++child)
        if (anchors_[child]) text = joined(text, *anchors_[child], within);
      placed.push_back({m, next, text});
      m = next;
    }
    std::ranges::stable_sort(placed, {}, [](const Placed& each) { return each.text.begin; });
    size_t at = within.begin;
    for (Placed& each : placed) {
      const auto& anchor = anchors_[each.mark];
      if (anchor && (anchor->begin < at || anchor->end > within.end))
        continue;  // it is written with the text
      each.text.begin = std::clamp(each.text.begin, at, within.end);
      each.text.end = std::clamp(each.text.end, each.text.begin, within.end);
      write_text({at, each.text.begin});
      at = each.text.end;
      write_mark(each);
    }
    write_text({at, within.end});
  }

  static Span joined(Span a, Span b, Span within) {
    if (b.begin < within.begin || b.end > within.end) return a;
    return a.empty() ? b : Span{std::min(a.begin, b.begin), std::max(a.end, b.end)};
  }

  void write_mark(const Placed& placed) {
    const MarkupSpan& mark = marks_[placed.mark];
    if (mark.literal) return write_literal(mark);
    text_ += mark.before;
    write({placed.mark + 1, placed.children_end}, placed.text, {mark.begin, mark.end});
    text_ += mark.after;
  }

  // Adds blanks where it would stick to a word from which it was separate in the sentence.
  void write_literal(const MarkupSpan& mark) {
    const bool apart = !glued_before(sentence_.substr(0, mark.begin));
    if (apart && (blank_behind_ || glued_before(last_))) text_ += ' ';
    text_ += mark.before;
    last_ = {};
    blank_behind_ = !glued_behind(sentence_.substr(mark.end));
  }

  void write_text(Span span) {
    if (span.empty()) return;
    last_ = std::string_view(output_.text).substr(span.begin, span.end - span.begin);
    if (blank_behind_ && glued_behind(last_)) text_ += ' ';
    blank_behind_ = false;
    text_ += escape_(last_);
  }

  // The longest run of units of the output that looked at this part of the sentence; if there is none, the
  // place where the text after it begins.
  Span find(const MarkupSpan& mark, Span within, Span source) const {
    if (mark.begin < mark.end && mark.begin == source.begin && mark.end == source.end) return within;
    const bool divides = divides_word(mark.begin) || divides_word(mark.end);
    const Span best = looked_at(mark, within, divides ? tokens_ : words_);
    if (!best.empty())
      return {divides_word(mark.begin) ? best.begin : word_begin(best.begin),
              divides_word(mark.end) ? best.end : word_end(best.end)};
    for (const auto& token : output_.tokens)
      if (token.begin >= within.begin && token.end <= within.end && token.source_begin >= mark.begin) {
        const size_t place = place_at(mark.begin, token);
        return {place, place};
      }
    return {within.end, within.end};
  }

  Span looked_at(const MarkupSpan& mark, Span within, const std::vector<Unit>& units) const {
    Span best{0, 0}, now{0, 0};
    size_t best_bytes = 0, now_bytes = 0;
    for (const Unit& unit : units) {
      if (unit.text.begin < within.begin || unit.text.end > within.end) continue;
      const size_t bytes = mark.literal && unit.taken ? 0 : bytes_that_looked(unit, mark);
      if (2 * bytes < unit.text.end - unit.text.begin || bytes == 0) {
        now_bytes = 0;
        if (mark.literal || bytes <= best_bytes) continue;
        best = unit.text, best_bytes = bytes;  // a small part of a word is better than nothing
        continue;
      }
      now = now_bytes == 0 ? unit.text : Span{now.begin, unit.text.end};
      now_bytes += bytes;
      if (now_bytes > best_bytes) best = now, best_bytes = now_bytes;
    }
    return best;
  }

  size_t bytes_that_looked(const Unit& unit, const MarkupSpan& mark) const {
    size_t bytes = 0;
    for (size_t i = unit.tokens.begin; i < unit.tokens.end; ++i) {
      const auto& token = output_.tokens[i];
      if (token.source_begin < mark.end && token.source_end > mark.begin)
        bytes += std::min(token.end, unit.text.end) - std::max(token.begin, unit.text.begin);
    }
    return bytes;
  }

  // Where a token begins: after its blanks, unless the sentence has one there too.
  size_t place_at(size_t source, const AlignedOutput::Token& token) const {
    if (sentence_.substr(source).starts_with(' ')) return token.begin;
    const size_t begin = std::min(output_.text.find_first_not_of(' ', token.begin), token.end);
    return divides_word(source) ? begin : word_begin(begin);
  }

  bool divides_word(size_t at) const { return !std::ranges::binary_search(sentence_words_, at); }
  size_t word_begin(size_t at) const { return *std::prev(std::ranges::upper_bound(output_words_, at)); }
  size_t word_end(size_t at) const { return *std::ranges::lower_bound(output_words_, at); }

  std::string_view sentence_;
  const std::vector<MarkupSpan>& marks_;
  const AlignedOutput& output_;
  const std::function<std::string(std::string_view)>& escape_;
  std::vector<size_t> sentence_words_, output_words_;
  std::vector<Unit> words_, tokens_;
  std::vector<std::optional<Span>> anchors_;  // of each mark
  std::string text_;
  std::string_view last_ = {};  // the text written last, unless it was a placeholder
  bool blank_behind_ = false;   // the placeholder written last was separate from what followed
};

}  // namespace

AlignedOutput aligned_output(const Vocabularies& vocabularies, const std::string& sentence,
                             std::span<const int32_t> tokens, const Hypothesis& output) {
  AlignedOutput result{vocabularies.target->decode(output.words), {}};
  const Vocabulary& source = *vocabularies.source;
  if (!tokens.empty() && tokens.back() == source.eos()) tokens = tokens.first(tokens.size() - 1);
  const std::string read = source.decode(tokens);  // the sentence, perhaps with other characters
  std::vector<size_t> source_ends = token_ends(source, tokens, read);
  for (size_t& end : source_ends) end = read.empty() ? 0 : end * sentence.size() / read.size();
  const auto ends = token_ends(*vocabularies.target, output.words, result.text);
  for (size_t i = 0; i < output.words.size(); ++i) {
    const auto& weights = output.alignment[i];
    const auto most = static_cast<size_t>(std::ranges::max_element(weights) - weights.begin());
    const size_t end = most < source_ends.size() ? source_ends[most] : sentence.size();
    const size_t begin = most == 0 ? 0 : source_ends[std::min(most, source_ends.size()) - 1];
    result.tokens.push_back({i == 0 ? 0 : ends[i - 1], ends[i], begin, end});
  }
  return result;
}

std::string place_markup(std::string_view sentence, const std::vector<MarkupSpan>& marks,
                         const AlignedOutput& output,
                         const std::function<std::string(std::string_view)>& escape) {
  return Placing(sentence, marks, output, escape).all();
}

}  // namespace attune::serve
