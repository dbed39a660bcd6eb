#include "text/corpus/checks.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "text/utf8.h"

namespace attune {
namespace {

template <class T>
void keep_first(std::vector<T>& places, T place) {
  if (places.size() < kShownPlaces) places.push_back(place);
}

}  // namespace

ColumnReport check_column(const TextLines& text, const LengthOf& length, int64_t limit) {
  ColumnReport report;
  report.lines = text.count;
  for (int64_t i = 0; i < text.count; ++i) {
    const std::string line = text.line(i);
    if (const auto byte = find_invalid_utf8(line)) {
      ++report.invalid;
      keep_first(report.first_invalid, {i, *byte});
      continue;
    }
    if (is_blank(line)) {
      ++report.empty;
      keep_first(report.first_empty, i);
      continue;
    }
    const int64_t tokens = length(line);
    report.longest = std::max(report.longest, tokens);
    if (limit > 0 && tokens > limit) {
      ++report.too_long;
      keep_first(report.first_too_long, i);
    }
  }
  return report;
}

std::vector<int32_t> line_lengths(const TextLines& text) {
  std::vector<int32_t> lengths(static_cast<size_t>(text.count));
  for (int64_t i = 0; i < text.count; ++i)
    lengths[static_cast<size_t>(i)] = static_cast<int32_t>(count_code_points(text.line(i)));
  return lengths;
}

// Lines are compared by 64-bit hashes: among a billion lines, the chance that any is wrongly taken for one of
// a thousand is about one in ten million.
SharedLines find_shared_lines(const TextLines& first, const TextLines& second) {
  const std::hash<std::string> hash;
  std::vector<size_t> known(static_cast<size_t>(first.count));
  for (int64_t i = 0; i < first.count; ++i) known[static_cast<size_t>(i)] = hash(first.line(i));
  std::ranges::sort(known);
  SharedLines shared;
  for (int64_t i = 0; i < second.count; ++i)
    if (std::ranges::binary_search(known, hash(second.line(i)))) {
      ++shared.count;
      keep_first(shared.first, i);
    }
  return shared;
}

namespace {

// Of a character that has no token of its own.
bool is_part(const Vocabulary& vocabulary, int32_t id) {
  return vocabulary.kind() != VocabularyKind::byte && vocabulary.is_byte(id);
}

// Counts the characters or words that have no token of their own.
class Missing {
 public:
  explicit Missing(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {}

  void count(const std::string& line) {
    const bool by_word = vocabulary_.kind() == VocabularyKind::word;
    std::string word;
    for (Utf8Reader reader(line); const auto c = reader.next();) {
      if (!is_white_space(c->value)) word += c->bytes;
      if (!word.empty() && (!by_word || is_white_space(c->value))) count_one(std::exchange(word, {}));
    }
    if (!word.empty()) count_one(std::move(word));
  }

  std::vector<std::pair<std::string, int64_t>> most_frequent_first() const {
    std::vector<std::pair<std::string, int64_t>> all;
    for (const auto& [token, n] : counts_)
      if (n > 0) all.emplace_back(token, n);
    std::ranges::sort(all, [](const auto& a, const auto& b) {
      return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    return all;
  }

 private:
  static constexpr int64_t kKnown = -1;

  bool is_missing(const std::string& token) const {
    return std::ranges::any_of(vocabulary_.encode(token), [this](int32_t id) {
      return id == vocabulary_.unk() || is_part(vocabulary_, id);
    });
  }

  void count_one(std::string token) {
    const auto found = counts_.find(token);
    if (found == counts_.end()) {
      const bool missing = is_missing(token);
      counts_.emplace(std::move(token), missing ? 1 : kKnown);
    } else if (found->second != kKnown) {
      ++found->second;
    }
  }

  const Vocabulary& vocabulary_;
  std::unordered_map<std::string, int64_t> counts_;
};

}  // namespace

Coverage measure_coverage(const Vocabulary& vocabulary, const TextLines& text, int64_t lines) {
  Coverage coverage;
  Missing missing(vocabulary);
  const int64_t wanted = lines > 0 ? std::min(lines, text.count) : text.count;
  coverage.lines = wanted;
  coverage.of_lines = text.count;
  for (int64_t n = 0; n < wanted; ++n) {
    const std::string line = text.line(n * text.count / wanted);
    bool complete = true;
    for (const int32_t id : vocabulary.encode(line)) {
      ++coverage.tokens;
      coverage.unknown += id == vocabulary.unk();
      coverage.bytes += is_part(vocabulary, id);
      complete = complete && id != vocabulary.unk() && !is_part(vocabulary, id);
    }
    if (!complete) missing.count(line);
  }
  coverage.missing = missing.most_frequent_first();
  return coverage;
}

}  // namespace attune
