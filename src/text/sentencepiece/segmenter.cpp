#include "text/sentencepiece/segmenter.h"

#include <algorithm>
#include <limits>
#include <queue>
#include <unordered_map>

#include "base/ascii.h"

namespace attune {
namespace {

constexpr float kUnknownPenalty = 10;

bool is_text(PieceType type) {
  return type == PieceType::normal || type == PieceType::user || type == PieceType::unused;
}

}  // namespace

size_t character_length(std::string_view text) {
  const unsigned char lead = byte_of(text[0]);
  const size_t length = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  return std::min(length, text.size());
}

Segmenter::Segmenter(const SentencePieceModel& model)
    : model_(model),
      lowest_score_(std::numeric_limits<float>::max()),
      highest_score_(std::numeric_limits<float>::min()) {
  std::vector<ByteTrie::Entry> texts, symbols;
  for (size_t i = 0; i < model.pieces.size(); ++i) {
    const auto& [text, score, type] = model.pieces[i];
    const auto id = static_cast<int32_t>(i);
    if (is_text(type))
      texts.push_back({text, id});
    else
      others_.emplace(text, id);
    if (type == PieceType::user) symbols.push_back({text, id});
    if (type == PieceType::unknown) unk_ = id;
    if (type == PieceType::normal) {
      lowest_score_ = std::min(lowest_score_, score);
      highest_score_ = std::max(highest_score_, score);
    }
  }
  texts_ = ByteTrie(std::move(texts));
  symbols_ = ByteTrie(std::move(symbols));
}

int32_t Segmenter::text_id(std::string_view text) const {
  const int32_t found = texts_.find(text);
  return found == ByteTrie::kNone ? unk_ : found;
}

int32_t Segmenter::id(std::string_view piece) const {
  const auto other = others_.find(piece);
  return other == others_.end() ? text_id(piece) : other->second;
}

size_t Segmenter::symbol_length(std::string_view text) const {
  size_t longest = 0;
  symbols_.prefixes(text, [&](size_t length, int32_t) { longest = length; });
  return longest;
}

std::vector<Segment> Segmenter::split(std::string_view normalized) const {
  if (normalized.empty()) return {};
  switch (model_.kind) {
    case VocabularyKind::bpe: return split_bpe(normalized);
    case VocabularyKind::word: return split_words(normalized);
    case VocabularyKind::character: return split_characters(normalized);
    default: return split_unigram(normalized);
  }
}

// best[i]: the last piece of the best way to split the first i bytes. Sums are rounded as the library's, so
// that equal ways are decided alike; the earlier piece wins.
std::vector<Segment> Segmenter::split_unigram(std::string_view text) const {
  struct Best {
    size_t begin = 0;
    int32_t id = ByteTrie::kNone;
    float score = 0;
  };
  std::vector<Best> best(text.size() + 1);
  for (size_t begin = 0; begin < text.size();) {
    const float before = best[begin].score;
    const auto arrive = [&](size_t length, int32_t id, double score) {
      Best& there = best[begin + length];
      if (there.id != ByteTrie::kNone && score <= there.score) return;
      there = {begin, id, static_cast<float>(score)};
    };
    const size_t one = character_length(text.substr(begin));
    bool has_one = false;
    texts_.prefixes(text.substr(begin), [&](size_t length, int32_t id) {
      if (unused(id)) return;
      has_one = has_one || length == one;
      const double score = piece(id).type == PieceType::user
                               ? static_cast<double>(static_cast<float>(length) * highest_score_) - 0.1
                               : static_cast<double>(piece(id).score);
      arrive(length, id, score + static_cast<double>(before));
    });
    if (!has_one) arrive(one, unk_, static_cast<double>(lowest_score_ - kUnknownPenalty + before));
    begin += one;
  }
  std::vector<Segment> segments;
  for (size_t end = text.size(); end > 0; end = best[end].begin)
    segments.push_back({text.substr(best[end].begin, end - best[end].begin), best[end].id});
  std::ranges::reverse(segments);
  return segments;
}

std::vector<Segment> Segmenter::split_bpe(std::string_view text) const {
  constexpr int32_t kNone = -1;
  struct Symbol {
    std::string_view text;  // empty: part of the one before
    int32_t before, after;
    bool whole;  // never merged
  };
  std::vector<Symbol> symbols;
  for (size_t at = 0; at < text.size();) {
    const size_t user = symbol_length(text.substr(at));
    const size_t length = user > 0 ? user : character_length(text.substr(at));
    const auto index = static_cast<int32_t>(symbols.size());
    symbols.push_back({text.substr(at, length), index - 1, index + 1, user > 0});
    at += length;
  }
  symbols.back().after = kNone;
  const auto at = [&](int32_t index) -> Symbol& { return symbols[static_cast<size_t>(index)]; };
  const auto both = [&](int32_t left, int32_t right) {
    return std::string_view(at(left).text.data(), at(left).text.size() + at(right).text.size());
  };

  struct Merge {
    float score;
    int32_t left, right;
    size_t size;
    bool operator<(const Merge& other) const {
      return score < other.score || (score == other.score && left > other.left);
    }
  };
  std::priority_queue<Merge> merges;
  std::unordered_map<std::string_view, size_t> halves;  // of unused pieces: where they were merged
  const auto consider = [&](int32_t left, int32_t right) {
    if (left == kNone || right == kNone || at(left).whole || at(right).whole) return;
    const std::string_view merged = both(left, right);
    const int32_t id = texts_.find(merged);
    if (id == ByteTrie::kNone) return;
    merges.push({piece(id).score, left, right, merged.size()});
    if (unused(id)) halves[merged] = at(left).text.size();
  };
  for (int32_t i = 1; i < static_cast<int32_t>(symbols.size()); ++i) consider(i - 1, i);
  while (!merges.empty()) {
    const auto [score, left, right, size] = merges.top();
    merges.pop();
    if (at(left).text.empty() || at(right).text.empty() || both(left, right).size() != size) continue;
    at(left).text = both(left, right);
    at(left).after = at(right).after;
    if (at(left).after != kNone) at(at(left).after).before = left;
    at(right).text = {};
    consider(at(left).before, left);
    consider(left, at(left).after);
  }

  std::vector<Segment> segments;
  std::vector<std::string_view> rest;
  for (int32_t i = 0; i != kNone; i = at(i).after) {
    rest.push_back(at(i).text);
    while (!rest.empty()) {
      const std::string_view part = rest.back();
      rest.pop_back();
      const int32_t id = text_id(part);
      const auto half = unused(id) ? halves.find(part) : halves.end();
      if (half == halves.end()) {
        segments.push_back({part, id});
      } else {
        rest.push_back(part.substr(half->second));
        rest.push_back(part.substr(0, half->second));
      }
    }
  }
  return segments;
}

std::vector<Segment> Segmenter::split_words(std::string_view text) const {
  std::vector<Segment> segments;
  for (size_t begin = 0; begin < text.size();) {
    const std::string_view word = text.substr(begin, text.find(kEscapedBlank, begin + 1) - begin);
    segments.push_back({word, text_id(word)});
    begin += word.size();
  }
  return segments;
}

std::vector<Segment> Segmenter::split_characters(std::string_view text) const {
  std::vector<Segment> segments;
  while (!text.empty()) {
    const size_t symbol = symbol_length(text);
    const std::string_view one = text.substr(0, symbol > 0 ? symbol : character_length(text));
    segments.push_back({one, text_id(one)});
    text.remove_prefix(one.size());
  }
  return segments;
}

}  // namespace attune
