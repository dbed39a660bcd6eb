// Corpus: examples as lines of text with columns (source, target, ...), from several files.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "attune/random.h"
#include "text/corpus/corpus_files.h"

namespace attune {

// Adds the numbers begin .. end - 1 as often as the weight says; for a fraction, a random part of them.
void append_weighted(std::vector<int64_t>& numbers, int64_t begin, int64_t end, double weight,
                     const Random& choice);

// Columns with different numbers of lines, and bytes that are not UTF-8 unless they are to be replaced by
// U+FFFD or kept, are UsageErrors that name file, line and byte.
class Corpus {
 public:
  explicit Corpus(const std::vector<CorpusSource>& sources, InvalidUtf8 invalid = InvalidUtf8::refuse);

  int64_t lines() const { return begins_.back(); }  // of all sources together
  size_t columns() const { return columns_ - joined_ + 1; }

  // Line 0 is the first of the first source. May be called from several threads.
  std::vector<std::string> line(int64_t number) const;
  std::string column(int64_t number, size_t column) const;

  // "train.en:17", for messages.
  std::string where(int64_t number, size_t column) const;

  // Of the columns of a line, if they were named.
  const std::vector<std::string>& languages(int64_t number) const { return place(number).source.languages; }

  // The lines of an epoch, copied as the weights say, in the order of the sources.
  std::vector<int64_t> epoch(const Random& random) const;

  size_t sources() const { return sources_.size(); }
  const CorpusFiles& source(size_t number) const { return sources_.at(number); }

 private:
  struct Place {
    const CorpusFiles& source;
    int64_t line;
  };

  CorpusFiles open(const CorpusSource& source) const;
  Place place(int64_t number) const;
  std::vector<std::string> split(const Place& place) const;
  std::string field(const Place& place, size_t column) const;
  std::string checked(std::string text, const Place& place, size_t column) const;

  InvalidUtf8 invalid_;
  size_t columns_ = 0, joined_ = 1;  // columns of the files; those of several sources
  std::vector<CorpusFiles> sources_;
  std::vector<int64_t> begins_{0};  // line number of the first line of each source, and the end
};

}  // namespace attune
