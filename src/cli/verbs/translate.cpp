// attune translate: raw text in, raw text out.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <memory>

#include "attune/error.h"
#include "base/say.h"
#include "cli/job.h"
#include "cli/options/model_options.h"
#include "cli/options/search_options.h"
#include "cli/reports/translation_report.h"
#include "cli/rows/bulk.h"
#include "cli/rows/row_work.h"
#include "cli/verb.h"
#include "decode/cut_text.h"
#include "decode/translator.h"
#include "text/utf8.h"

namespace attune::cli {
namespace {

// The most tokens of a line that a model without a limit gets at once.
constexpr int64_t kLongestPart = 1000;

struct Options {
  explicit Options(CLI::App& app) : models(app), search(app) {}

  ModelOptions models;
  OutputFormat format;
  BulkOptions bulk;
  std::string file = "-", prefixes;
  bool split_sentences = false;
  RowOptions rows;
  SearchOptionsOfVerb search;
};

Translator make_translator(const ModelFolder& folder, const Options& options) {
  folder.require_source();
  TranslatorOptions wanted{.search = options.search.read(folder),
                           .mini_batch_words = options.rows.mini_batch_words};
  wanted.search.alignment = options.format.needs_alignment() || wanted.search.unk == UnknownWords::copy;
  if (options.format.n_best()) wanted.search.n_best = options.format.n_best_count(wanted.search.beam_size);
  return folder.translator(wanted);
}

class Work {
 public:
  Work(const Options& options, const ModelFolder& folder)
      : options_(options),
        translator_(make_translator(folder, options)),
        cut_{folder.longest() > 0 ? folder.longest() : kLongestPart, options.split_sentences} {}

  Written operator()(RowPiece piece) const {
    Written written;
    std::vector<TranslatorInput> inputs;
    std::vector<CutText> cuts;
    for (size_t i = 0; i < piece.rows.size(); ++i) {
      Row& row = piece.rows[i];
      const int64_t number = piece.first + static_cast<int64_t>(i);
      cuts.push_back(usable(row, number, written) ? cut(row[0], number, written) : CutText{});
      for (size_t p = 0; p < cuts[i].parts.size(); ++p)
        inputs.push_back({.text = cuts[i].parts[p].text,
                          .prefix = p == 0 && row.size() > 1 ? row[1] : "",
                          .number = static_cast<uint64_t>(number) + 1,
                          .tokens = cuts[i].parts[p].tokens});
    }
    const auto outputs = translator_.search(inputs);
    size_t next = 0;
    for (size_t i = 0; i < piece.rows.size(); ++i) {
      const size_t count = cuts[i].parts.size();
      const int64_t number = piece.first + static_cast<int64_t>(i);
      note(std::span(outputs).subspan(next, count));
      written.text += options_.format.line(
          translator_, {number, piece.rows[i][0], cuts[i].parts, std::span(inputs).subspan(next, count),
                        std::span(outputs).subspan(next, count)});
      next += count;
    }
    return written;
  }

  // What the user should know when all is done; empty if nothing.
  std::string summary() const {
    if (empty_ == 0 || empty_ * 2 <= lines_) return "";
    return fmt::format(
        "attune: {} of {} lines were translated into nothing. A model that has not learned enough does that: "
        "train it longer, or a smaller one (attune train --time), and look at its validation scores; or the "
        "text is not in the language that the model reads\n",
        empty_.load(), lines_.load());
  }

 private:
  void note(std::span<const std::vector<Hypothesis>> parts) const {
    if (parts.empty()) return;
    ++lines_;
    if (std::ranges::all_of(parts, [](const auto& outputs) { return outputs[0].words.empty(); })) ++empty_;
  }

  // Whether a line can be translated; if not, it is left empty, copied, or ends the program.
  bool usable(Row& row, int64_t number, Written& written) const {
    const bool skip = options_.rows.on_error == "skip";
    const char* becomes = skip ? "left empty" : "copied";
    bool fine = options_.rows.accept(row, number, becomes, written);
    if (fine && row.size() > 1 && !translator_.has_room({row[0], row[1]})) {
      options_.rows.refuse(
          number,
          fmt::format("line {}: the prefix leaves no room for an output (max_length, max_length_factor, or "
                      "what the model can write)",
                      number + 1),
          becomes, written);
      fine = false;
    }
    if (!fine && skip) row[0].clear();
    return fine;
  }

  CutText cut(const std::string& line, int64_t number, Written& written) const {
    if (is_blank(line)) return {};
    CutText result = cut_text(line, cut_, [&](const std::string& text) { return translator_.tokens(text); });
    if (result.too_long)
      written.warnings += fmt::format(
          "attune: line {} is longer than the model can read ({} tokens): it was cut into {} parts\n",
          number + 1, cut_.longest, result.parts.size());
    return result;
  }

  const Options& options_;
  Translator translator_;
  CutOptions cut_;
  mutable std::atomic<int64_t> lines_ = 0, empty_ = 0;  // that were not blank; of them, without an output
};

void run(const Options& options, const CLI::App& app) {
  as_job([&](Ranks& ranks) {
    const int fair = fair_threads(ranks), workers = options.rows.threads > 0 ? options.rows.threads : fair;
    if (!options.bulk.wanted() && !ranks.alone())
      throw UsageError("several ranks translate a file in parts: give --input FILE and --output FOLDER");
    if (options.bulk.wanted() && options.file != "-")
      throw UsageError(fmt::format("give either --input or the file '{}', not both", options.file));
    if (options.bulk.wanted() && !options.prefixes.empty())
      throw UsageError("--prefix cannot be used with --input");
    const ModelFolder folder = options.models.open();
    const Work work(options, folder);
    if (options.bulk.wanted()) {
      translate_in_parts(options.bulk, lasting_settings(app, folder.all_files()), ranks, workers,
                         std::cref(work));
    } else {
      RowSource source{{options.file}};
      if (!options.prefixes.empty()) source.files.push_back(options.prefixes);
      row_work<Written>(source, workers, std::cref(work), write_out);
    }
    say(work.summary());
  });
}

Action set_up(CLI::App& app) {
  auto options = std::make_shared<Options>(app);
  app.footer(
      "  attune translate -m runs/en-de in.txt > out.txt\n"
      "  attune translate -m runs/a -m runs/b --beam-size 8 --n-best < in.txt\n"
      "  mpirun -n 8 attune translate -m runs/en-de --input big.txt.gz --output out/   (docs/scaling.md)");
  app.add_option("file", options->file, "text to translate, one sentence per line; - is stdin");
  options->models.add_target_language(app);
  options->format.add_options(app);
  options->bulk.add_options(app);
  app.add_option("--prefix", options->prefixes,
                 "file with one line per input line: the text with which its output must begin");
  app.add_flag("--split-sentences", options->split_sentences, "translate each sentence of a line separately");
  options->rows.add_options(app, {"stop", "skip", "copy"});
  options->search.add_options({"alignment", "n_best"});
  return [options, &app] { run(*options, app); };
}

const RegisterVerb registered{
    {"translate", "translate text: stdin or a file to stdout, or a large file in parts", set_up}};

}  // namespace
}  // namespace attune::cli
