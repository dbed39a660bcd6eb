#include "decode/cut_text.h"

#include "text/boundaries.h"
#include "text/utf8.h"

namespace attune {
namespace {

class Cutter {
 public:
  Cutter(int64_t longest, const MakeTokens& tokens) : longest_(longest), tokens_(tokens) {}

  CutPart part(const std::string& text, const std::string& space) const {
    return {text, space, tokens_(text)};
  }
  bool fits(const CutPart& part) const { return longest_ <= 0 || std::ssize(part.tokens) <= longest_; }

  // Halves a text without boundaries, between characters, until the parts fit.
  void add_halves(CutPart part, std::vector<CutPart>& to) const {
    const size_t middle = code_point_begin(part.text, part.text.size() / 2);
    if (fits(part) || middle == 0) {
      to.push_back(std::move(part));
      return;
    }
    add_halves(this->part(part.text.substr(0, middle), ""), to);
    add_halves(this->part(part.text.substr(middle), part.space), to);
  }

  // Joins neighbours while the sum of their tokens fits: together they rarely have more tokens.
  std::vector<CutPart> packed(const std::vector<CutPart>& parts) const {
    std::vector<CutPart> result;
    for (size_t i = 0, next = 0; i < parts.size(); i = next) {
      CutPart together = parts[i];
      int64_t sum = std::ssize(together.tokens);
      for (next = i + 1; next < parts.size(); ++next) {
        if ((sum += std::ssize(parts[next].tokens)) > longest_) break;
        together.text += together.space + parts[next].text;
        together.space = parts[next].space;
      }
      if (next > i + 1) together.tokens = tokens_(together.text);
      add_halves(std::move(together), result);
    }
    return result;
  }

  // Cuts a sentence that does not fit, at words.
  std::vector<CutPart> cut_at_words(const CutPart& sentence) const {
    std::vector<CutPart> words;
    for (const TextPart& word : words_of(sentence.text)) add_halves(part(word.text, word.space), words);
    if (!words.empty()) words.back().space += sentence.space;
    return packed(words);
  }

 private:
  int64_t longest_;
  const MakeTokens& tokens_;
};

}  // namespace

CutText cut_text(const std::string& text, const CutOptions& options, const MakeTokens& tokens) {
  const Cutter cutter(options.longest, tokens);
  CutText result;
  if (!options.sentences) {
    CutPart whole = cutter.part(text, "");
    if (cutter.fits(whole)) {
      result.parts.push_back(std::move(whole));
      return result;
    }
    result.too_long = true;
  }
  for (const TextPart& each : sentences_of(text)) {
    CutPart sentence = cutter.part(each.text, each.space);
    if (cutter.fits(sentence)) {
      result.parts.push_back(std::move(sentence));
      continue;
    }
    result.too_long = true;
    for (CutPart& part : cutter.cut_at_words(sentence)) result.parts.push_back(std::move(part));
  }
  if (!options.sentences) result.parts = cutter.packed(result.parts);
  return result;
}

std::string join_outputs(std::span<const CutPart> parts, std::span<const std::string> outputs) {
  std::string all;
  for (size_t i = 0; i < outputs.size(); ++i) {
    all += outputs[i];
    if (i + 1 == outputs.size() || outputs[i].empty() || outputs[i + 1].empty()) continue;
    const bool together = ends_without_blank(outputs[i]);
    const std::string& space = parts[i].space;
    if (space.empty() && !together && !begins_without_blank(outputs[i + 1])) all += ' ';
    if (!together) all += space;
  }
  return all;
}

}  // namespace attune
