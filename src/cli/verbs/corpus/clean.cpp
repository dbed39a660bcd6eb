// attune clean: a corpus without the rows from which a model learns nothing good.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "attune/error.h"
#include "base/readable.h"
#include "cli/options/config_options.h"
#include "cli/options/corpus_options.h"
#include "cli/verb.h"
#include "io/files/file.h"
#include "text/clean/clean_rules.h"
#include "text/utf8.h"

namespace attune::cli {
namespace {

// Rows that wait until it is known which scripts the corpus is in.
constexpr size_t kSampleRows = 5000, kSampleBytes = 16 << 20;

struct Options {
  std::vector<std::string> inputs, outputs, keep;
  std::string left_out;
  CorpusOptions corpus;
  CleanOptions rules;
  bool json = false;
};

// One file a column, or one for all with tabs between them.
class RowWriter {
 public:
  explicit RowWriter(const std::vector<std::string>& paths) {
    for (const std::string& path : paths) files_.push_back(std::make_unique<AtomicFile>(path));
  }

  void write(const std::vector<std::string>& columns) {
    if (files_.size() == columns.size()) {
      for (size_t c = 0; c < columns.size(); ++c) files_[c]->write(columns[c] + "\n");
    } else if (files_.size() == 1) {
      files_[0]->write(joined(columns) + "\n");
    } else {
      throw UsageError(
          fmt::format("clean: {} files to write, but the corpus has {} columns; give one file for "
                      "each, or one .tsv for all",
                      files_.size(), columns.size()));
    }
  }
  void commit() {
    for (const auto& file : files_) file->commit();
  }

  static std::string joined(const std::vector<std::string>& columns) {
    std::string row;
    for (size_t c = 0; c < columns.size(); ++c) row.append(c == 0 ? "" : "\t").append(columns[c]);
    return row;
  }

 private:
  std::vector<std::unique_ptr<AtomicFile>> files_;
};

class Cleaning {
 public:
  explicit Cleaning(const Options& options) : options_(options), kept_(options.outputs) {
    if (!options.left_out.empty()) left_out_.emplace(options.left_out);
  }

  void operator()() {
    std::vector<std::pair<std::string, LeftOut>> faulty;
    for (CorpusSource source : options_.corpus.sources(options_.inputs)) {
      source.bad_lines = BadLines::skip;
      const std::string& path = source.files[0];
      faulty.emplace_back(path, read_rows(source, InvalidUtf8::keep, [&](CorpusRow&& row) {
                            take({fmt::format("{}:{}", path, row.line), std::move(row.columns)});
                          }));
    }
    if (!rules_) judge_sample();
    for (const auto& [path, rows] : faulty) {
      read_ += rows.count();
      for (const auto& [reason, lines] : rows.lines)
        for (const int64_t line : lines) leave_out(reason, {fmt::format("{}:{}", path, line), {}});
    }
    kept_.commit();
    if (left_out_) left_out_->commit();
  }

  void report() const {
    if (options_.json) {
      const nlohmann::ordered_json document{{"read", read_}, {"kept", kept_count_}, {"left_out", counts_}};
      fmt::print("{}\n", document.dump(2));
      return;
    }
    const auto line = [this](const std::string& name, int64_t count) {
      fmt::print("{:<32}{:>12}{:>9}\n", name, grouped(count),
                 percentage(static_cast<double>(count) / static_cast<double>(std::max<int64_t>(read_, 1))));
    };
    line("read", read_);
    line("kept", kept_count_);
    line("left out", read_ - kept_count_);
    for (const auto& [reason, count] : counts_) line("  " + reason, count);
  }

 private:
  struct Row {
    std::string where;
    std::vector<std::string> columns;
  };

  void take(Row&& row) {
    ++read_;
    if (rules_) return judge(row);
    for (const std::string& column : row.columns) sample_bytes_ += column.size();
    sample_.push_back(std::move(row));
    if (sample_.size() >= kSampleRows || sample_bytes_ >= kSampleBytes) judge_sample();
  }

  void judge_sample() {
    std::vector<ScriptCheck> scripts;
    const auto& languages = options_.corpus.wanted.languages;
    for (size_t c = 0; !sample_.empty() && c < sample_[0].columns.size(); ++c) {
      std::vector<std::string_view> lines;
      for (const Row& row : sample_)
        if (c < row.columns.size() && !find_invalid_utf8(row.columns[c])) lines.push_back(row.columns[c]);
      scripts.push_back(c < languages.size() ? ScriptCheck::of_language(languages[c])
                                             : ScriptCheck::of_text(lines));
    }
    rules_.emplace(options_.rules, std::move(scripts));
    for (const Row& row : sample_) judge(row);
    sample_.clear();
  }

  void judge(const Row& row) {
    if (const auto reason = rules_->broken(row.columns)) return leave_out(*reason, row);
    ++kept_count_;
    kept_.write(row.columns);
  }

  void leave_out(const std::string& reason, const Row& row) {
    ++counts_[reason];
    if (!left_out_) return;
    std::string line = fmt::format("{}\t{}", reason, row.where);
    if (!row.columns.empty()) line += "\t" + replace_invalid_utf8(RowWriter::joined(row.columns));
    left_out_->write(line + "\n");
  }

  const Options& options_;
  RowWriter kept_;
  std::optional<AtomicFile> left_out_;
  std::optional<CleanRules> rules_;
  std::vector<Row> sample_;
  size_t sample_bytes_ = 0;
  int64_t read_ = 0, kept_count_ = 0;
  std::map<std::string, int64_t> counts_;
};

void run(Options& options) {
  for (const std::string& name : options.keep) {
    const auto rules = clean_rules();
    if (std::ranges::none_of(rules, [&](const CleanRule& rule) { return name == rule.name; }) ||
        name == "utf8")
      throw UsageError(
          fmt::format("clean: --keep {}: there is no such rule to turn off; --help lists them", name));
    options.rules.off.insert(name);
  }
  Cleaning cleaning(options);
  cleaning();
  cleaning.report();
}

std::string help_of_rules() {
  std::string text = "Rows are left out for the first of these reasons:\n";
  for (const CleanRule& rule : clean_rules()) text += fmt::format("  {:<12}{}\n", rule.name, rule.help);
  return text +
         "\n  attune clean -t train.en train.fr -o clean.en clean.fr\n"
         "  attune clean -t memory.tmx --languages en fr -o clean.tsv --keep numbers --left-out left-out.tsv";
}

Action set_up(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.footer(help_of_rules());
  app.add_option("-t,--train-sets", options->inputs,
                 "files whose lines belong together: source, target; or files that hold both")
      ->required()
      ->default_str("");
  take_list(*app.add_option("-o,--output", options->outputs, "one file for each column, or one with tabs")
                 ->required()
                 ->default_str(""));
  options->corpus.add_options(app);
  app.add_option(
         "--ratio", options->rules.ratio,
         "how much longer than the other a side may be, in characters; one of Chinese, Japanese or Korean "
         "counts as three")
      ->check(CLI::PositiveNumber);
  app.add_option("--longest", options->rules.longest, "characters that a side may have")
      ->check(CLI::PositiveNumber);
  take_list(*app.add_option("--keep", options->keep, "names of rules that are not asked")->default_str(""));
  app.add_option("--left-out", options->left_out,
                 "write what is left out to this file: reason, place, columns");
  app.add_flag("--json", options->json, "print the counts as a JSON document");
  return [options] { run(*options); };
}

const RegisterVerb registered{{"clean", "leave bad and useless pairs out of a corpus", set_up}};

}  // namespace
}  // namespace attune::cli
