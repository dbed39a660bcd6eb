#include "text/corpus/corpus_source.h"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "attune/error.h"
#include "base/descriptor.h"
#include "base/readable.h"
#include "text/bytes/compression.h"
#include "text/corpus/line_stream.h"
#include "text/formats/column_choice.h"
#include "text/utf8.h"

namespace attune {
namespace {

enum class FileKind : uint8_t { none, regular, pipe };

FileKind kind_of(const std::string& path) {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0 || S_ISDIR(status.st_mode)) return FileKind::none;
  return S_ISREG(status.st_mode) ? FileKind::regular : FileKind::pipe;
}

const CorpusFormat* format_of(TextBytes& text, const std::string& path, const WantedColumns& wanted) {
  return find_format(text.peek(kFormatHead), path, wanted);
}

bool has_format(const std::string& path, const WantedColumns& wanted) {
  const Descriptor file = open_to_read(path);
  TextBytes text(file.number(), path);
  return format_of(text, path, wanted) != nullptr;
}

// Takes rows one by one and keeps the good ones.
class RowSieve {
 public:
  RowSieve(const CorpusSource& source, InvalidUtf8 invalid, const TakeRow& take)
      : source_(source), invalid_(invalid), take_(take) {}

  void take(CorpusRow&& row) {
    ++left_out.rows;
    const auto not_text = [](const std::string& text) { return find_invalid_utf8(text).has_value(); };
    const auto fault = source_.bad_lines == BadLines::skip && invalid_ == InvalidUtf8::refuse
                           ? std::ranges::find_if(row.columns, not_text)
                           : row.columns.end();
    if (fault != row.columns.end())
      omit(row.line, fmt::format("column {} is not UTF-8", fault - row.columns.begin() + 1));
    else
      take_(std::move(row));
  }

  void leave_out(int64_t line, const std::string& reason) {
    ++left_out.rows;
    omit(line, reason);
  }

  void bad(int64_t line, const std::string& reason) {
    if (source_.bad_lines == BadLines::stop)
      throw UsageError(fmt::format("{}:{}: {}", source_.files[0], line, reason));
    leave_out(line, reason);
  }

  LeftOut left_out;

 private:
  void omit(int64_t line, const std::string& reason) { left_out.lines[reason].push_back(line); }

  const CorpusSource& source_;
  InvalidUtf8 invalid_;
  const TakeRow& take_;
};

void read_units(const CorpusSource& source, TextBytes& text, const CorpusFormat& format, RowSieve& sieve) {
  const std::string& path = source.files[0];
  ColumnChoice choice(format, source.wanted, path);
  format.read({text, path, source.wanted}, [&](Unit&& unit) {
    if (unit.state == UnitState::bad) return sieve.bad(unit.line, unit.reason);
    std::string missing;
    auto columns = choice.columns(unit, missing);
    if (unit.state == UnitState::omitted)
      sieve.leave_out(unit.line, unit.reason);
    else if (!columns)
      sieve.leave_out(unit.line, fmt::format("without {}", missing));
    else if (std::ranges::any_of(*columns, [](const auto& column) { return column.empty(); }))
      sieve.leave_out(unit.line, "empty");
    else
      sieve.take({unit.line, std::move(*columns)});
  });
  choice.check_that_some_fit();
}

// Lines of one file: with tabs between the columns, or one column.
void read_lines(const CorpusSource& source, ByteSource& text, RowSieve& sieve) {
  size_t columns = 0;
  for (ByteLines lines(text); !lines.ended();) {
    CorpusRow row{lines.number() + 1};
    const std::string line = lines.next();
    row.columns = source.tsv ? split_at_tabs(line) : std::vector{line};
    if (columns == 0) columns = row.columns.size();
    if (row.columns.size() != columns)
      sieve.bad(row.line,
                fmt::format("it has {} columns, but the first line has {}", row.columns.size(), columns));
    else
      sieve.take(std::move(row));
  }
}

void read_parallel_lines(const CorpusSource& source, RowSieve& sieve) {
  std::vector<std::unique_ptr<LineStream>> files;
  for (const std::string& path : source.files) files.push_back(std::make_unique<LineStream>(path));
  const auto has_line = [](const auto& file) { return !file->ended(); };
  while (std::ranges::all_of(files, has_line)) {
    CorpusRow row{files[0]->number() + 1};
    for (const auto& file : files) row.columns.push_back(file->next());
    sieve.take(std::move(row));
  }
  if (std::ranges::none_of(files, has_line)) return;
  for (const auto& file : files) file->skip_to(INT64_MAX);
  std::vector<std::string> counts;
  for (size_t i = 0; i < files.size(); ++i)
    counts.push_back(fmt::format("{} has {} lines", source.files[i], files[i]->number()));
  throw UsageError(fmt::format(
      "{}; line n of one must belong to line n of the other (`attune check` finds where they diverge)",
      fmt::join(counts, ", but ")));
}

}  // namespace

std::span<const char* const> enum_names(BadLines) {
  static constexpr const char* kWords[] = {"stop", "skip"};
  return kWords;
}

bool holds_all_columns(const std::string& path, const WantedColumns& wanted) {
  switch (kind_of(path)) {
    case FileKind::none: return false;
    case FileKind::pipe: return !wanted.empty();
    case FileKind::regular: break;
  }
  return has_format(path, wanted);
}

std::vector<std::string> files_of_stem(const std::string& stem, const std::vector<std::string>& languages) {
  std::vector<std::string> files;
  if (kind_of(stem) == FileKind::none)
    for (const std::string& language : languages) {
      std::vector<std::string> endings{""};
      for (const Compression& compression : compressions()) endings.push_back(compression.extension);
      const auto path = [&](const std::string& ending) {
        return fmt::format("{}.{}{}", stem, language, ending);
      };
      const auto found = std::ranges::find_if(
          endings, [&](const std::string& ending) { return kind_of(path(ending)) != FileKind::none; });
      if (found == endings.end()) return {};
      files.push_back(path(*found));
    }
  return files;
}

std::vector<bool> has_languages(const CorpusSource& source,
                                std::span<const std::vector<std::string>> languages) {
  const std::string& path = source.files[0];
  if (kind_of(path) == FileKind::pipe)
    throw UsageError(path + ": directions need a file that can be read again for each of them, not a pipe");
  const Descriptor file = open_to_read(path);
  TextBytes text(file.number(), path);
  const CorpusFormat* format = source.tsv ? &format_named("TSV") : format_of(text, path, source.wanted);
  std::vector<bool> found(languages.size());
  if (format == nullptr) return found;
  std::vector<ColumnChoice> choices;
  for (const auto& wanted : languages) choices.emplace_back(*format, WantedColumns{wanted, {}}, path);
  const auto named = [](const Field& field) { return !field.name.empty(); };
  format->read({text, path, source.wanted}, [&](Unit&& unit) {
    if (unit.state != UnitState::good || std::ranges::none_of(unit.fields, named)) return;
    std::string missing;
    for (size_t i = 0; i < choices.size(); ++i)
      if (!found[i]) found[i] = choices[i].columns(unit, missing).has_value();
  });
  return found;
}

std::string language_ending(const std::string& path) {
  const std::string ending = std::filesystem::path(without_compression(path)).extension().string();
  return ending.empty() ? "" : ending.substr(1);
}

bool has_units(const CorpusSource& source) {
  if (source.files.size() != 1) return false;
  if (source.tsv) return !source.wanted.empty();
  const FileKind kind = kind_of(source.files[0]);
  return kind == FileKind::pipe || (kind == FileKind::regular && has_format(source.files[0], source.wanted));
}

int64_t LeftOut::count() const {
  int64_t all = 0;
  for (const auto& [reason, places] : lines) all += std::ssize(places);
  return all;
}

std::string LeftOut::text() const {
  std::vector<std::string> parts;
  for (const auto& [reason, places] : lines)
    parts.push_back(fmt::format("{} {} (first on line {})", grouped(std::ssize(places)), reason, places[0]));
  return fmt::format("{} of {} are left out: {}", grouped(count()), grouped(rows), fmt::join(parts, ", "));
}

LeftOut read_rows(const CorpusSource& source, InvalidUtf8 invalid, const TakeRow& take) {
  RowSieve sieve(source, invalid, take);
  if (source.files.size() > 1) {
    read_parallel_lines(source, sieve);
    return std::move(sieve.left_out);
  }
  const std::string& path = source.files[0];
  const Descriptor file = open_to_read(path);
  TextBytes text(file.number(), path);
  const bool table = source.tsv && !source.wanted.empty();
  const CorpusFormat* format = table ? &format_named("TSV") : format_of(text, path, source.wanted);
  // What comes through a pipe has no name to tell that it is a table.
  if (format == nullptr && !source.wanted.columns.empty() && kind_of(path) == FileKind::pipe)
    format = &format_named("CSV");
  if (format != nullptr && (table || !source.tsv))
    read_units(source, text, *format, sieve);
  else
    read_lines(source, text, sieve);
  return std::move(sieve.left_out);
}

std::vector<std::string> split_at_tabs(const std::string& line) {
  std::vector<std::string> fields;
  for (size_t begin = 0; begin <= line.size();) {
    const size_t end = std::min(line.find('\t', begin), line.size());
    fields.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return fields;
}

}  // namespace attune
