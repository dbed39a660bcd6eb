// Finds problems in the text of a corpus before a model is trained on it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "text/corpus/text_lines.h"
#include "text/vocabulary/vocabulary.h"

namespace attune {

constexpr size_t kShownPlaces = 5;  // the first few of each kind are kept

// Lines and bytes are counted from 0.
struct InvalidByte {
  int64_t line;
  size_t byte;
};

struct ColumnReport {
  int64_t lines = 0;
  int64_t empty = 0, too_long = 0, invalid = 0;  // lines; one with only white space counts as empty
  std::vector<int64_t> first_empty, first_too_long;
  std::vector<InvalidByte> first_invalid;
  int64_t longest = 0;  // by `length`
};

using LengthOf = std::function<int64_t(const std::string&)>;  // for example the number of tokens

// `text` need not be UTF-8, but only valid lines are measured. limit 0: no line is too long.
ColumnReport check_column(const TextLines& text, const LengthOf& length, int64_t limit);

// ---- Lines that do not belong together

struct Shift {
  int64_t line;  // from about here, line i of the first belongs to line i + offset of the second
  int offset;
};

// Finds the first place after which the lengths of two texts fit better with an offset of up to three lines.
// Empty for texts with unrelated lengths, and for shifts of only a few dozen lines.
std::optional<Shift> find_shift(std::span<const int32_t> first, std::span<const int32_t> second);

// In characters.
std::vector<int32_t> line_lengths(const TextLines& text);

// ---- The same lines in two texts

struct SharedLines {
  int64_t count = 0;
  std::vector<int64_t> first;  // line numbers of the second text
};

// Lines of `second` that are also in `first`. Takes 8 bytes of memory for each line of `first`.
SharedLines find_shared_lines(const TextLines& first, const TextLines& second);

// ---- What a vocabulary does not know

struct Coverage {
  int64_t lines = 0, of_lines = 0;  // examined, of all
  int64_t tokens = 0, unknown = 0;
  int64_t bytes = 0;  // tokens that are bytes of characters without a piece
  // Characters (for a word vocabulary: words) without a token of their own and how often they occur, most
  // frequent first.
  std::vector<std::pair<std::string, int64_t>> missing;
};

// Of at most `lines` lines, spread evenly over the text; 0: of all.
Coverage measure_coverage(const Vocabulary& vocabulary, const TextLines& text, int64_t lines = 0);

}  // namespace attune
