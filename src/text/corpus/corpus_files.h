// CorpusFiles: the lines of a source by number. What is not lines of text already, or has bad ones to leave
// out, is copied once to unnamed files, one a column.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "text/corpus/corpus_source.h"
#include "text/corpus/line_file.h"

namespace attune {

struct CorpusFiles {
  CorpusFiles(const CorpusSource& source, InvalidUtf8 invalid);

  // Of a copied source they have as many lines, but bear the name of the original.
  std::vector<std::unique_ptr<const LineFile>> files;
  bool tsv;  // one file whose lines have tabs between the columns
  double weight;
  std::vector<std::string> languages;  // that were wanted; of directions, those of this one
  LeftOut left_out;

  const LineFile& file(size_t column) const { return *files[tsv ? 0 : column]; }
  // "train.en:17" or "memory.tmx:230", to be shown to a user.
  std::string where(int64_t line, size_t column) const;

 private:
  void copy(const CorpusSource& source, InvalidUtf8 invalid);

  std::vector<int64_t> places_;  // of each line in the original, if it was copied
};

}  // namespace attune
