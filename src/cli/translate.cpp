// attune translate: raw text in, raw text out.
#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "attune/error.h"
#include "attune/threads.h"
#include "base/line_reader.h"
#include "cli/config_options.h"
#include "cli/outputs.h"
#include "cli/verb.h"
#include "decode/cut_text.h"
#include "decode/ordered_work.h"
#include "decode/translator.h"
#include "models/model_folder.h"
#include "text/utf8.h"

namespace attune::cli {
namespace {

constexpr size_t kLinesAPiece = 256;

struct Options {
  explicit Options(CLI::App& app) : search(app) {}

  std::vector<std::string> models;
  std::vector<double> weights;
  OutputFormat format;
  std::string unknown = "write", on_error = "stop";
  bool split_sentences = false;
  int64_t mini_batch_words = 2000;
  int threads = 0;
  ConfigOptions search;
};

std::shared_ptr<const Shortlist> shortlist(const ModelFolder& folder) {
  const auto file = folder.path / kShortlistFile;
  if (!std::filesystem::exists(file))
    throw UsageError(
        fmt::format("{}: this model has no shortlist; `attune shortlist` makes one", folder.path.string()));
  return std::make_shared<const Shortlist>(Shortlist::load(file, folder.vocabularies));
}

// Everything that is loaded once.
struct Loaded {
  std::vector<ModelFolder> folders;
  std::unique_ptr<Translator> translator;
  CutOptions cut;

  explicit Loaded(const Options& options) {
    for (const std::string& path : options.models) folders.push_back(load_model_folder(path));
    if (!options.weights.empty() && options.weights.size() != folders.size())
      throw UsageError(
          fmt::format("there are {} models, but {} weights", folders.size(), options.weights.size()));
    std::vector<Ensemble::Member> members;
    TranslatorSetup setup{
        .task = folders[0].config->task(), .vocabularies = folders[0].vocabularies, .search = {}};
    for (size_t i = 0; i < folders.size(); ++i) {
      const auto* writer = dynamic_cast<const Writer*>(folders[i].model.get());
      if (writer == nullptr || folders[i].config->task() == TaskKind::tag)
        throw UsageError(fmt::format("{}: a model of type {} does not write text", options.models[i],
                                     folders[i].config->type()));
      if (folders[i].vocabularies.target->serialized() != setup.vocabularies.target->serialized() ||
          folders[i].vocabularies.source->serialized() != setup.vocabularies.source->serialized())
        throw UsageError(fmt::format("{} and {} have different vocabularies and cannot work together",
                                     options.models[0], options.models[i]));
      members.push_back({writer, options.weights.empty() ? 1 : options.weights[i]});
      const int64_t longest = folders[i].config->longest();
      if (longest > 0) setup.longest = setup.longest > 0 ? std::min(setup.longest, longest) : longest;
    }
    assign(fields_of(setup.search), folders[0].decoding);
    assign(fields_of(setup.search), options.search.entries());
    setup.search.alignment = options.format.needs_alignment() || options.unknown == "copy";
    if (options.format.n_best()) setup.search.n_best = options.format.n_best_count(setup.search.beam_size);
    setup.mini_batch_words = options.mini_batch_words;
    setup.unknown = options.unknown == "write"      ? UnknownWords::write
                    : options.unknown == "suppress" ? UnknownWords::suppress
                                                    : UnknownWords::copy;
    if (setup.search.shortlist) setup.shortlist = shortlist(folders[0]);
    cut = {setup.longest, options.split_sentences};
    translator = std::make_unique<Translator>(Ensemble(members), setup);
  }
};

struct Piece {
  int64_t first = 0;  // number of its first line, from 0
  std::vector<std::string> lines;
};

// What the lines of a piece became, ready to be written.
struct Written {
  std::string text, warnings;
};

class Work {
 public:
  Work(const Options& options, const Loaded& loaded) : options_(options), loaded_(loaded) {}

  Written operator()(Piece&& piece) const {
    Written written;
    std::vector<std::string> texts;
    std::vector<CutText> cuts;
    std::vector<uint64_t> numbers;
    for (size_t i = 0; i < piece.lines.size(); ++i) {
      std::string& line = piece.lines[i];
      const int64_t number = piece.first + static_cast<int64_t>(i) + 1;
      cuts.push_back(bad(line, number, written) ? CutText{} : cut(line, number, written));
      for (const TextPart& part : cuts.back().parts) {
        texts.push_back(part.text);
        numbers.push_back(static_cast<uint64_t>(number));
      }
    }
    const auto outputs = loaded_.translator->search(texts, numbers);
    size_t next = 0;
    for (size_t i = 0; i < piece.lines.size(); ++i) {
      const auto parts = std::span(outputs).subspan(next, cuts[i].parts.size());
      next += parts.size();
      const int64_t number = piece.first + static_cast<int64_t>(i);
      written.text +=
          options_.format.line(*loaded_.translator, {number, piece.lines[i], cuts[i].parts, parts});
    }
    return written;
  }

 private:
  // Whether a line cannot be translated; then it is left out or written as it is, or all ends here.
  bool bad(std::string& line, int64_t number, Written& written) const {
    const auto invalid = find_invalid_utf8(line);
    const size_t nul = line.find('\0');
    if (!invalid && nul == std::string::npos) return false;
    const std::string what = invalid ? fmt::format("line {}: byte {} is not UTF-8", number, *invalid + 1)
                                     : fmt::format("line {}: byte {} is NUL", number, nul + 1);
    if (options_.on_error == "stop")
      throw UsageError(what + "; --on-error skip or copy goes on behind such lines");
    written.warnings +=
        fmt::format("attune: {}: it is {}\n", what, options_.on_error == "skip" ? "left empty" : "copied");
    if (options_.on_error == "skip") line.clear();
    return true;
  }

  CutText cut(const std::string& line, int64_t number, Written& written) const {
    if (is_blank(line)) return {};
    const Translator& translator = *loaded_.translator;
    CutText result = cut_text(line, loaded_.cut, [&](const std::string& text) {
      return static_cast<int64_t>(translator.tokens(text).size());
    });
    if (result.too_long)
      written.warnings += fmt::format(
          "attune: line {} is longer than the model can read ({} tokens): it was cut into {} parts\n", number,
          loaded_.cut.longest, result.parts.size());
    return result;
  }

  const Options& options_;
  const Loaded& loaded_;
};

void write_out(const Written& written) {
  std::fputs(written.warnings.c_str(), stderr);
  std::fwrite(written.text.data(), 1, written.text.size(), stdout);
  if (std::fflush(stdout) != 0) throw Error("the output cannot be written");
}

void run(const Options& options) {
  const Loaded loaded(options);
  const int workers = options.threads > 0 ? options.threads : threads();
  LineReader reader(STDIN_FILENO);
  int64_t count = 0;
  ordered_work<Piece, Written>(
      workers,
      [&]() -> std::optional<Piece> {
        Piece piece{count, reader.next(kLinesAPiece)};
        count += static_cast<int64_t>(piece.lines.size());
        return piece.lines.empty() ? std::nullopt : std::optional(std::move(piece));
      },
      [&](Piece&& piece) {
        const ThreadCount one(1);  // every worker runs whole batches by itself
        return Work(options, loaded)(std::move(piece));
      },
      [](Written&& written) { write_out(written); });
}

Action set_up(CLI::App& app) {
  auto options = std::make_shared<Options>(app);
  app.footer(
      "  attune translate -m runs/en-de < in.txt > out.txt\n"
      "  attune translate -m runs/a -m runs/b --beam-size 8 --n-best < in.txt");
  app.add_option("-m,--model", options->models, "model folder, or folder of a run; several are an ensemble")
      ->required()
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--weights", options->weights, "weights of the models of an ensemble");
  options->format.add_options(app);
  app.add_option("--unk", options->unknown,
                 "unknown words: write <unk>, suppress, or copy the source's by attention")
      ->check(CLI::IsMember({"write", "suppress", "copy"}));
  app.add_flag("--split-sentences", options->split_sentences, "translate each sentence of a line by itself");
  app.add_option("--on-error", options->on_error, "a line that is no text: stop, skip it, or copy it")
      ->check(CLI::IsMember({"stop", "skip", "copy"}));
  app.add_option("--mini-batch-words", options->mini_batch_words,
                 "source tokens that are translated together")
      ->check(CLI::PositiveNumber);
  app.add_option("--cpu-threads", options->threads, "threads; 0: one a core");
  static SearchOptions defaults;
  static const std::map<std::string, char> letters{{"beam_size", 'b'}, {"normalize", 'n'}};
  options->search.add([](Fields& f) { defaults.fields(f); },
                      "Search (defaults of the model folder come first)", letters, {"alignment", "n_best"});
  return [options] { run(*options); };
}

const RegisterVerb registered{{"translate", "translate stdin to stdout", set_up}};

}  // namespace
}  // namespace attune::cli
