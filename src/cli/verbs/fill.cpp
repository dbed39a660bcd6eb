// attune fill: candidates for the masked words of texts.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "attune/error.h"
#include "cli/options/line_options.h"
#include "cli/verb.h"

namespace attune::cli {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view kMask = "[MASK]";

struct Options : LineOptions {
  using LineOptions::LineOptions;

  std::string mask{kMask};
  int64_t top = 5;
  bool together = false;
};

std::string replaced(std::string text, const std::string& from) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + kMask.size()))
    text.replace(at, from.size(), kMask);
  return text;
}

std::string dump(const ordered_json& object) {
  return object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

class Work {
 public:
  Work(const Options& options, const Filler& filler) : options_(options), filler_(filler) {}

  Written operator()(RowPiece piece) const {
    Written written;
    std::vector<FillerLine> lines;
    for (size_t i = 0; i < piece.rows.size(); ++i)
      lines.push_back(read(piece.rows[i], piece.first + static_cast<int64_t>(i), written));
    if (options_.together) filler_.fill_together(lines);
    const auto candidates = options_.together ? std::vector<std::vector<Filler::Candidates>>(lines.size())
                                              : filler_.candidates(lines);
    for (size_t i = 0; i < lines.size(); ++i) {
      const int64_t number = piece.first + static_cast<int64_t>(i);
      if (options_.together)
        written.text += options_.json ? dump({{"line", number}, {"text", filler_.text(lines[i])}})
                                      : filler_.text(lines[i]) + "\n";
      else
        written.text += options_.json ? as_json(number, lines[i], candidates[i])
                                      : as_text(number, lines[i], candidates[i]);
    }
    return written;
  }

 private:
  FillerLine read(const Row& row, int64_t number, Written& written) const {
    if (!options_.rows.accept(row, number, "left out", written)) return {};
    Row texts;
    for (const std::string& column : row) texts.push_back(replaced(column, options_.mask));
    try {
      if (row.size() > 2)
        throw UsageError(fmt::format("line {}: there are {} columns, but this model reads 1 or 2", number + 1,
                                     row.size()));
      return filler_.line(number, texts);
    } catch (const UsageError& error) {
      options_.rows.refuse(number, error.what(), "left out", written);
      return {};
    }
  }

  std::string as_text(int64_t number, const FillerLine& line,
                      const std::vector<Filler::Candidates>& masks) const {
    std::string all;
    for (size_t m = 0; m < masks.size(); ++m)
      for (const auto& [token, log_p] : masks[m])
        all += fmt::format("{} ||| {} ||| {:.4f} ||| {} ||| {}\n", number, m, std::exp(log_p),
                           filler_.text_of(token), filler_.text(filler_.filled(line, m, token)));
    return all;
  }

  std::string as_json(int64_t number, const FillerLine& line,
                      const std::vector<Filler::Candidates>& masks) const {
    ordered_json list = ordered_json::array();
    for (size_t m = 0; m < masks.size(); ++m) {
      list.push_back(ordered_json::array());
      for (const auto& [token, log_p] : masks[m])
        list.back().push_back({{"probability", std::exp(log_p)},
                               {"word", filler_.text_of(token)},
                               {"token", filler_.piece(token)},
                               {"text", filler_.text(filler_.filled(line, m, token))}});
    }
    return dump({{"line", number}, {"masks", std::move(list)}});
  }

  const Options& options_;
  const Filler& filler_;
};

void run(const Options& options) {
  if (options.mask.empty()) throw UsageError("fill: --mask-token cannot be empty");
  const ModelFolder folder = options.models.open();
  const Filler filler = folder.filler({options.together ? 1 : options.top, options.rows.mini_batch_words});
  row_work<Written>({{options.file}, true}, options.rows.threads, Work(options, filler), write_out);
}

Action set_up(CLI::App& app) {
  auto options = std::make_shared<Options>(app);
  app.footer(
      "Each line is a text with [MASK] in it, or two texts with a tab between them. One line is written for\n"
      "each candidate: line number and mask number (from 0), probability, word, and the text with it. A "
      "mask\n"
      "is one token. Several masks in a text are filled independently, or --together.\n\n"
      "  echo 'the sailor [MASK] the anchor' | attune fill -m runs/mlm\n"
      "  echo 'the _ dropped the _' | attune fill -m runs/mlm --mask-token _ --together");
  app.add_option("--top", options->top, "candidates for each mask")->check(CLI::PositiveNumber);
  app.add_flag("--together", options->together,
               "write the text with all its masks filled, from left to right, each with the likeliest word");
  app.add_option("--mask-token", options->mask, "another spelling of the mask, besides [MASK]");
  options->add_options(app, "texts", "write one JSON object per line");
  return [options] { run(*options); };
}

const RegisterVerb registered{{"fill", "candidates for masked words", set_up}};

}  // namespace
}  // namespace attune::cli
