// Shortlist: the few target words from which a sentence's output is chosen: likely translations of its words,
// and the most frequent words. A file of the model folder, made by `attune shortlist`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "text/alignment/lexicon.h"
#include "text/vocabulary/vocabularies.h"

namespace attune {

constexpr const char* kShortlistFile = "shortlist.safetensors";

class Shortlist {
 public:
  // `translations`: a list for each source word; `always`: for every sentence.
  Shortlist(std::vector<std::vector<int32_t>> translations, std::vector<int32_t> always);

  // From sentences of the training data: the `best` translations of each source word, and the word itself if
  // both sides share a vocabulary; the `frequent` most frequent target words, <unk>, <s> and </s>.
  static Shortlist learn(std::span<const SentencePair> pairs, const Vocabularies& vocabularies, int64_t best,
                         int64_t frequent);

  // A file that is damaged or made for another vocabulary is a UsageError.
  static Shortlist load(const std::filesystem::path& file, const Vocabularies& vocabularies);
  // That of a model folder; a UsageError if it has none.
  static std::shared_ptr<const Shortlist> of_folder(const std::filesystem::path& folder,
                                                    const Vocabularies& vocabularies);
  void save(const std::filesystem::path& file) const;

  // The words that a sentence may write, ascending.
  std::vector<int32_t> words(std::span<const int32_t> source) const;

 private:
  std::vector<std::vector<int32_t>> translations_;
  std::vector<int32_t> always_;
};

}  // namespace attune
