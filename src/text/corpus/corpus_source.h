// CorpusSource: where a corpus comes from, and its rows one after the other.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "text/formats/corpus_format.h"

namespace attune {

enum class InvalidUtf8 : uint8_t { refuse, replace, keep };

enum class BadLines : uint8_t { stop, skip };
std::span<const char* const> enum_names(BadLines);

// Either one file per column, parallel line by line, or one file that holds all columns: with tabs between
// them, or in a format that is recognised (text/formats).
struct CorpusSource {
  std::vector<std::string> files;
  bool tsv = false;
  double weight = 1;  // how often an epoch repeats each line; for a fraction, a random part of the lines
  WantedColumns wanted = {};
  BadLines bad_lines = BadLines::stop;
  bool paragraphs = false;  // a text's unit is not a line but a paragraph (FileUnit)
  size_t joined = 1;        // so many first columns are several sources: one column, with tabs between them
};

// Whether a file is a corpus by itself and not one of its columns. Of a pipe this is what `wanted` says.
bool holds_all_columns(const std::string& path, const WantedColumns& wanted);

// "corpus.en" and "corpus.fr" for "corpus", if there are such files (compressed ones too) and none of that
// name. Otherwise nothing.
std::vector<std::string> files_of_stem(const std::string& stem, const std::vector<std::string>& languages);

// For each list of languages, whether some unit of a file that holds all columns has them all, by their
// names.
std::vector<bool> has_languages(const CorpusSource& source,
                                std::span<const std::vector<std::string>> languages);

// The end of its name that tells the language, without that of a compression: "en" of "data/train.en.gz".
std::string language_ending(const std::string& path);

// Whether there is more to do than to read lines of files: a format, or a pipe that may have one.
bool has_units(const CorpusSource& source);

struct CorpusRow {
  int64_t line = 0;  // of the file, from 1
  std::vector<std::string> columns = {};
};
using TakeRow = std::function<void(CorpusRow&&)>;

// Rows that were left out of a source.
struct LeftOut {
  int64_t rows = 0;                                   // of the source in all
  std::map<std::string, std::vector<int64_t>> lines;  // for each reason, where they begin

  int64_t count() const;
  std::string text() const;  // "15 of 1,200 are left out: 12 without fr (first on line 7), ..."
};

// The rows of a source in constant memory. Bad ones are UsageErrors, or are left out if the source says so.
// Of formats with units, those that are empty on a side or lack one are left out.
LeftOut read_rows(const CorpusSource& source, InvalidUtf8 invalid, const TakeRow& take);

std::vector<std::string> split_at_tabs(const std::string& line);

}  // namespace attune
