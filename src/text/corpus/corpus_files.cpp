#include "text/corpus/corpus_files.h"

#include <fmt/core.h>

#include <algorithm>

#include "attune/error.h"
#include "text/bytes/temporary_file.h"

namespace attune {
namespace {

// Rows of other formats are texts as they are.
FileUnit unit_of(const CorpusSource& source) {
  const bool lines = !source.tsv && !holds_all_columns(source.files[0], source.wanted);
  return source.paragraphs && lines ? FileUnit::paragraph : FileUnit::line;
}

}  // namespace

CorpusFiles::CorpusFiles(const CorpusSource& source, InvalidUtf8 invalid)
    : tsv(source.tsv), weight(source.weight), languages(source.wanted.languages) {
  if (source.bad_lines == BadLines::skip || has_units(source))
    copy(source, invalid);
  else
    for (const std::string& path : source.files)
      files.push_back(std::make_unique<const LineFile>(path, unit_of(source)));
}

void CorpusFiles::copy(const CorpusSource& source, InvalidUtf8 invalid) {
  std::vector<TemporaryFile> copies;
  left_out = read_rows(source, invalid, [&](CorpusRow&& row) {
    if (copies.empty()) copies.resize(row.columns.size());
    for (size_t c = 0; c < copies.size(); ++c) {
      row.columns[c] += '\n';
      copies[c].write(row.columns[c]);
    }
    places_.push_back(row.line);
  });
  if (copies.empty() && left_out.count() > 0)
    throw UsageError(fmt::format("{}: {}", source.files[0], left_out.text()));
  copies.resize(std::max<size_t>(copies.size(), 1));
  const bool one = source.files.size() == 1;
  const FileUnit unit = unit_of(source);
  for (size_t c = 0; c < copies.size(); ++c)
    files.push_back(std::make_unique<const LineFile>(source.files[one ? 0 : c], copies[c].finish(), unit));
  tsv = false;
  places_.shrink_to_fit();
}

std::string CorpusFiles::where(int64_t line, size_t column) const {
  const int64_t first = file(column).first_line(line);
  return fmt::format("{}:{}", file(column).path(),
                     places_.empty() ? first + 1 : places_[static_cast<size_t>(first)]);
}

}  // namespace attune
