#include "train/run/left_out_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "io/files/file.h"

namespace attune {
namespace {

void append_rows(const CorpusFiles& source, std::string& table) {
  std::vector<std::pair<int64_t, std::string_view>> rows;
  for (const auto& [reason, lines] : source.left_out.lines)
    for (const int64_t line : lines) rows.emplace_back(line, reason);
  std::ranges::sort(rows);
  for (const auto& [line, reason] : rows)
    fmt::format_to(std::back_inserter(table), "{}:{}\t{}\n", source.files[0]->path(), line, reason);
}

}  // namespace

void say_left_out(const Corpus& corpus, const Say& say) {
  for (size_t i = 0; i < corpus.sources(); ++i)
    if (const CorpusFiles& source = corpus.source(i); source.left_out.count() > 0)
      say(fmt::format("{}: {}", source.files[0]->path(), source.left_out.text()));
}

void report_left_out(const std::filesystem::path& folder, const TrainConfig& config, const Corpus& training,
                     const std::vector<const Corpus*>& validation, const Say& say) {
  std::vector<const Corpus*> corpora{&training};
  corpora.insert(corpora.end(), validation.begin(), validation.end());
  std::string table;
  for (const Corpus* corpus : corpora) {
    say_left_out(*corpus, say);
    for (size_t i = 0; i < corpus->sources(); ++i) append_rows(corpus->source(i), table);
  }
  if (config.bad_lines == BadLines::skip && !table.empty())
    write_file_atomically(folder / kLeftOutFile, table);
  else
    std::filesystem::remove(folder / kLeftOutFile);
}

}  // namespace attune
