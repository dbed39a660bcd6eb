// attune score: how likely models find given texts.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "attune/error.h"
#include "cli/options/model_options.h"
#include "cli/reports/score_report.h"
#include "cli/rows/row_work.h"
#include "cli/verb.h"
#include "text/scripts.h"
#include "text/utf8.h"

namespace attune::cli {
namespace {

struct Options {
  explicit Options(CLI::App& app) : models(app) {}

  ModelOptions models;
  RowSource source{{}, false};
  ScoreFormat format;
  std::string length_penalty = "length";
  bool summary = false;
  RowOptions rows;
};

struct Scored {
  Written written;
  ScoreTotals totals;
};

// Characters of scripts without blanks, such as Chinese, are words.
int64_t words_in(const std::string& text) {
  int64_t count = 0;
  bool inside = false;
  for (Utf8Reader reader(text); const auto c = reader.next();) {
    const bool blank = is_white_space(c->value), alone = is_unspaced(c->value);
    count += alone || (!blank && !inside);
    inside = !blank && !alone;
  }
  return count;
}

class Work {
 public:
  Work(const Options& options, const ModelFolder& folder)
      : options_(options),
        scorer_(folder.scorer(options.rows.mini_batch_words)),
        writes_(folder.model().writes()),
        unk_(folder.vocabularies().target->unk()) {}

  Scored operator()(RowPiece piece) const {
    Scored scored;
    std::vector<LineToScore> lines;
    std::vector<bool> usable;
    for (size_t i = 0; i < piece.rows.size(); ++i) {
      const int64_t number = piece.first + static_cast<int64_t>(i);
      lines.emplace_back();
      usable.push_back(read(piece.rows[i], number, lines.back(), scored.written));
    }
    const auto scores = scorer_.score(lines);
    for (size_t i = 0; i < lines.size(); ++i) {
      const int64_t number = piece.first + static_cast<int64_t>(i);
      if (usable[i]) scored.totals += totals(piece.rows[i], lines[i], scores[i]);
      if (!options_.summary)
        scored.written.text += options_.format.line(scorer_, {number, lines[i], scores[i], usable[i]});
    }
    return scored;
  }

 private:
  bool read(const Row& row, int64_t number, LineToScore& line, Written& written) const {
    const char* becomes = "left out, with the score nan";
    if (!options_.rows.accept(row, number, becomes, written)) return false;
    try {
      const TaskColumns columns = scorer_.columns();
      if (row.size() < columns.fewest || row.size() > columns.most)
        throw UsageError(fmt::format("line {}: there are {} columns, but this model reads {}", number + 1,
                                     row.size(), columns.text()));
      line = scorer_.line(number, row);
      return true;
    } catch (const UsageError& error) {
      options_.rows.refuse(number, error.what(), becomes, written);
      return false;
    }
  }

  ScoreTotals totals(const Row& row, const LineToScore& line, const std::vector<double>& scores) const {
    ScoreTotals sums{.lines = 1, .tokens = static_cast<int64_t>(line.tokens.size())};
    for (const double score : scores) sums.log_p += score;
    for (const int32_t token : line.tokens) sums.unknown += token == unk_;
    if (writes_ && !line.tokens.empty()) {
      sums.words = words_in(row.back()) + 1;
      sums.characters = static_cast<int64_t>(count_code_points(row.back())) + 1;
    }
    return sums;
  }

  const Options& options_;
  Scorer scorer_;
  bool writes_;
  int32_t unk_;
};

void check_columns(const RowSource& source, const ModelFolder& folder) {
  const TaskColumns columns = folder.task().columns();
  if (source.tsv || (source.files.size() >= columns.fewest && source.files.size() <= columns.most)) return;
  throw UsageError(fmt::format(
      "score: {} {}: {} columns are scored, but {} {} given; give as many files, or one with --tsv",
      folder.path().string(), folder.task().does(), columns.text(), source.files.size(),
      source.files.size() == 1 ? "file was" : "files were"));
}

void run(Options& options) {
  if (options.source.files.empty()) options.source.files = {"-"};
  options.format.search.length_penalty =
      options.length_penalty == "google" ? LengthPenalty::google : LengthPenalty::length;
  options.format.search.validate();
  const ModelFolder folder = options.models.open();
  check_columns(options.source, folder);
  const Work work(options, folder);
  ScoreTotals totals;
  row_work<Scored>(options.source, options.rows.threads, std::cref(work), [&](Scored&& scored) {
    write_out(scored.written);
    totals += scored.totals;
  });
  if (options.summary) write_out({options.format.json ? totals.json() : totals.text(), ""});
}

Action set_up(CLI::App& app) {
  auto options = std::make_shared<Options>(app);
  app.footer(
      "Writes the log probability (base e) of each line: of the second column given the first for models "
      "that\n"
      "translate, answer, tag or classify; of the text itself for language models. A masked language model\n"
      "masks and scores one token at a time (pseudo log likelihood).\n\n"
      "  attune score -m runs/en-de test.en test.de\n"
      "  attune score -m runs/lm --summary < test.txt\n"
      "  paste test.en test.de | attune score -m runs/en-de --tsv --word-scores");
  app.add_option("files", options->source.files, "one file per column; '-', or none at all: stdin");
  options->models.add_target_language(app);
  app.add_flag("--tsv", options->source.tsv, "one file, with tabs between the columns");
  app.add_option("-n,--normalize", options->format.search.normalize,
                 "divide each sum by the length to this power; 0: do not divide")
      ->default_val(0.0);
  app.add_option("--length-penalty", options->length_penalty,
                 "what sums are divided by: length^normalize, or Google's formula")
      ->check(CLI::IsMember({"length", "google"}));
  app.add_flag("--word-scores", options->format.word_scores, "also write the log probability of each token");
  app.add_flag("--json", options->format.json, "write one JSON object per line");
  app.add_flag("--summary", options->summary,
               "write the perplexity of all lines instead of each line's score");
  options->rows.add_options(app, {"stop", "skip"});
  return [options] { run(*options); };
}

const RegisterVerb registered{{"score", "log probabilities of given texts, and perplexity", set_up}};

}  // namespace
}  // namespace attune::cli
