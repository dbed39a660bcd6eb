// Marian's lists of words with their ids: .yml or .json (word: id), or text with a word per line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace attune::marian {

struct WordList {
  std::vector<std::string> words;  // by id
  int64_t end = 0, unknown = 1;    // the ids of </s> and <unk>
};

// Words of ids from `size` on are left out; an id without a word gets a name of its own, so there are exactly
// `size` words. A UsageError if the file is not such a list, or has no </s> and <unk>.
WordList read_word_list(const std::filesystem::path& path, int64_t size);

}  // namespace attune::marian
