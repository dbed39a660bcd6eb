#include "decode/cut_text.h"

#include "text/utf8.h"

namespace attune {
namespace {

// Halves of a text without boundaries, cut between characters, until they fit.
void add_halves(const TextPart& part, int64_t longest, const CountTokens& tokens, std::vector<TextPart>& to) {
  const size_t middle = code_point_begin(part.text, part.text.size() / 2);
  if (tokens(part.text) <= longest || middle == 0) {
    to.push_back(part);
    return;
  }
  add_halves({part.text.substr(0, middle), ""}, longest, tokens, to);
  add_halves({part.text.substr(middle), part.space}, longest, tokens, to);
}

// Neighbours together as long as they fit, counting each once: together they rarely have more tokens.
std::vector<TextPart> packed(const std::vector<TextPart>& parts, int64_t longest, const CountTokens& tokens) {
  std::vector<TextPart> together;
  int64_t sum = 0;
  for (const TextPart& part : parts) {
    const int64_t count = tokens(part.text);
    sum += count;
    if (!together.empty() && sum <= longest) {
      together.back().text += together.back().space + part.text;
      together.back().space = part.space;
    } else {
      together.push_back(part);
      sum = count;
    }
  }
  std::vector<TextPart> result;
  for (const TextPart& part : together) add_halves(part, longest, tokens, result);
  return result;
}

}  // namespace

CutText cut_text(const std::string& text, const CutOptions& options, const CountTokens& tokens) {
  const bool fits = options.longest <= 0 || tokens(text) <= options.longest;
  if (fits && !options.sentences) return {{{text, ""}}, false};
  CutText result{sentences_of(text), false};
  if (fits) return result;
  std::vector<TextPart> parts;
  for (const TextPart& sentence : result.parts) {
    if (tokens(sentence.text) <= options.longest) {
      parts.push_back(sentence);
      continue;
    }
    result.too_long = true;
    std::vector<TextPart> words;
    for (const TextPart& word : words_of(sentence.text)) add_halves(word, options.longest, tokens, words);
    if (!words.empty()) words.back().space += sentence.space;
    for (TextPart& part : packed(words, options.longest, tokens)) parts.push_back(std::move(part));
  }
  result.too_long = result.too_long || !options.sentences;
  result.parts = options.sentences ? parts : packed(parts, options.longest, tokens);
  return result;
}

std::string join_outputs(std::span<const TextPart> parts, std::span<const std::string> outputs) {
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
