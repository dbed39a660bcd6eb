#include "serve/marks.h"

#include <algorithm>
#include <span>

namespace attune::serve {
namespace {

// Where each token ends in the text that all of them give. A token that is a part of a character ends with
// it.
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

struct Range {
  size_t begin, end;  // of tokens
};

class Placing {
 public:
  Placing(std::string_view sentence, const std::vector<Mark>& marks, const AlignedOutput& output,
          const std::function<std::string(std::string_view)>& escape)
      : sentence_(sentence), marks_(marks), output_(output), escape_(escape) {}

  std::string all() {
    write({0, marks_.size()}, {0, output_.tokens.size()}, {0, sentence_.size()});
    return std::move(text_);
  }

 private:
  struct Placed {
    size_t mark, children_end;
    Range tokens;
  };

  // The marks of a range, their children with them, into a range of tokens.
  void write(Range marks, Range tokens, Range source) {
    std::vector<Placed> placed;
    for (size_t m = marks.begin; m < marks.end;) {
      size_t next = m + 1;
      while (next < marks.end && marks_[next].begin < marks_[m].end && marks_[next].end <= marks_[m].end)
        ++next;
      placed.push_back({m, next, find(marks_[m], tokens, source)});
      m = next;
    }
    std::ranges::stable_sort(placed, {}, [](const Placed& each) { return each.tokens.begin; });
    size_t at = tokens.begin;
    for (Placed& each : placed) {
      each.tokens.begin = std::max(each.tokens.begin, at);
      each.tokens.end = std::max(each.tokens.end, each.tokens.begin);
      write_tokens({at, each.tokens.begin});
      at = each.tokens.end;
      write_mark(each);
    }
    write_tokens({at, tokens.end});
  }

  void write_mark(const Placed& placed) {
    const Mark& mark = marks_[placed.mark];
    const bool empty = placed.tokens.begin == placed.tokens.end;
    if (empty && mark.literal && !text_.empty() && text_.back() != ' ') text_ += ' ';
    if (!empty) write_blanks(placed.tokens.begin);
    text_ += mark.before;
    if (!mark.literal) {
      write({placed.mark + 1, placed.children_end}, placed.tokens, {mark.begin, mark.end});
      text_ += mark.after;
    } else if (!empty) {
      written_ = std::max(written_, output_.tokens[placed.tokens.end - 1].end);
    }
  }

  // The most tokens in a row that looked at the part; without any, the place where what follows it begins.
  Range find(const Mark& mark, Range tokens, Range source) const {
    if (mark.begin < mark.end && mark.begin == source.begin && mark.end == source.end) return tokens;
    Range best{tokens.end, tokens.end};
    size_t in_a_row = 0;
    for (size_t i = tokens.begin; i < tokens.end; ++i) {
      const auto& token = output_.tokens[i];
      const bool looked = token.source_begin < mark.end && token.source_end > mark.begin;
      in_a_row = looked ? in_a_row + 1 : 0;
      if (in_a_row > best.end - best.begin) best = {i + 1 - in_a_row, i + 1};
    }
    if (best.begin < best.end) return best;
    for (size_t i = tokens.begin; i < tokens.end; ++i)
      if (output_.tokens[i].source_begin >= mark.begin) return {i, i};
    return best;
  }

  // The blanks that a token begins with stand before its tag.
  void write_blanks(size_t token) {
    const size_t begin = std::max(written_, output_.tokens[token].begin);
    written_ =
        std::max(begin, std::min(output_.text.find_first_not_of(' ', begin), output_.tokens[token].end));
    text_ += output_.text.substr(begin, written_ - begin);
  }

  void write_tokens(Range tokens) {
    if (tokens.begin >= tokens.end) return;
    const size_t begin = std::max(written_, output_.tokens[tokens.begin].begin);
    written_ = std::max(begin, output_.tokens[tokens.end - 1].end);
    text_ += escape_(std::string_view(output_.text).substr(begin, written_ - begin));
  }

  std::string_view sentence_;
  const std::vector<Mark>& marks_;
  const AlignedOutput& output_;
  const std::function<std::string(std::string_view)>& escape_;
  std::string text_;
  size_t written_ = 0;  // bytes of the output's text
};

}  // namespace

AlignedOutput aligned_output(const Vocabularies& vocabularies, const std::string& sentence,
                             const Hypothesis& output) {
  AlignedOutput result{vocabularies.target->decode(output.words), {}};
  const auto ids = vocabularies.source->encode(sentence);
  const std::string read = vocabularies.source->decode(ids);  // the sentence, perhaps with other characters
  std::vector<size_t> source_ends = token_ends(*vocabularies.source, ids, read);
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

std::string place_marks(std::string_view sentence, const std::vector<Mark>& marks,
                        const AlignedOutput& output,
                        const std::function<std::string(std::string_view)>& escape) {
  return Placing(sentence, marks, output, escape).all();
}

}  // namespace attune::serve
