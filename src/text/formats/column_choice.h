// ColumnChoice: the fields of units that are the columns of a corpus.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "text/formats/corpus_format.h"

namespace attune {

class ColumnChoice {
 public:
  ColumnChoice(const CorpusFormat& format, const WantedColumns& wanted, std::string path);

  // On one line each. Nothing if the unit has not all of them; then `missing` is the first that it lacks. A
  // UsageError that names the fields of the unit if it is not said which are wanted.
  std::optional<std::vector<std::string>> columns(const Unit& unit, std::string& missing);

  // After the last unit: a UsageError if no unit had all of them.
  void check_that_some_fit() const;

 private:
  const Field* find(const Unit& unit, size_t column) const;
  void note_names(const Unit& unit);
  [[noreturn]] void refuse_nothing_wanted(const Unit& unit) const;
  std::string names() const;

  FieldNames kind_;
  bool languages_;  // the wanted names are languages
  std::vector<std::string> wanted_;
  std::string path_;
  std::vector<std::string> names_;  // that the units have, in the order in which they came
  int64_t units_ = 0, fit_ = 0;
};

}  // namespace attune
