#include "text/corpus/corpus_files.h"

#include <fmt/core.h>

#include <algorithm>

#include "attune/error.h"
#include "text/bytes/temporary_file.h"

namespace attune {

CorpusFiles::CorpusFiles(const CorpusSource& source, InvalidUtf8 invalid)
    : tsv(source.tsv), weight(source.weight) {
  if (source.bad_lines == BadLines::skip || has_units(source))
    copy(source, invalid);
  else
    for (const std::string& path : source.files) files.push_back(std::make_unique<const LineFile>(path));
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
  for (size_t c = 0; c < copies.size(); ++c)
    files.push_back(std::make_unique<const LineFile>(source.files[one ? 0 : c], copies[c].finish()));
  tsv = false;
  places_.shrink_to_fit();
}

std::string CorpusFiles::where(int64_t line, size_t column) const {
  return fmt::format("{}:{}", file(column).path(),
                     places_.empty() ? line + 1 : places_[static_cast<size_t>(line)]);
}

}  // namespace attune
