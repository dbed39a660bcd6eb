// attune embed: contextual vectors of texts.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "attune/error.h"
#include "cli/options/model_options.h"
#include "cli/rows/row_work.h"
#include "cli/verb.h"
#include "look/embedder.h"

namespace attune::cli {
namespace {

struct Options {
  explicit Options(CLI::App& app) : models(app) {}

  ModelOptions models;
  std::string file = "-";
  RowOptions rows;
  int64_t layer = -1;
  std::string pool = "none";
};

std::string list_of(std::span<const float> numbers) {
  std::string text = "[";
  for (size_t i = 0; i < numbers.size(); ++i)
    fmt::format_to(std::back_inserter(text), "{}{:.6g}", i == 0 ? "" : ",", numbers[i]);
  return text + "]";
}

std::vector<float> mean(const view::NumberTable& table) {
  std::vector<float> sum(table.columns);
  for (size_t i = 0; i < table.numbers.size(); ++i)
    sum[i % table.columns] += table.numbers[i] / static_cast<float>(table.rows);
  return sum;
}

class Work {
 public:
  Work(const Options& options, const Embedder& embedder) : options_(options), embedder_(embedder) {}

  Written operator()(RowPiece piece) const {
    Written written;
    for (size_t i = 0; i < piece.rows.size(); ++i) {
      const int64_t number = piece.first + static_cast<int64_t>(i);
      if (options_.rows.accept(piece.rows[i], number, "left out", written))
        add(piece.rows[i][0], number, written);
    }
    return written;
  }

 private:
  void add(const std::string& text, int64_t number, Written& written) const {
    TokenVectors seen;
    try {
      seen = embedder_.embed(text);
    } catch (const UsageError& error) {
      return options_.rows.refuse(number, error.what(), "left out", written);
    }
    const auto row = [&](size_t r) {
      return std::span(seen.vectors.numbers).subspan(r * seen.vectors.columns, seen.vectors.columns);
    };
    const nlohmann::json tokens = seen.tokens;
    written.text += fmt::format("{{\"line\":{},\"tokens\":{},", number,
                                tokens.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    if (options_.pool == "none" || seen.tokens.empty()) {
      written.text += "\"vectors\":[";
      for (size_t r = 0; r < seen.vectors.rows; ++r) written.text += (r == 0 ? "" : ",") + list_of(row(r));
      written.text += "]}\n";
      return;
    }
    const std::string vector = options_.pool == "mean"    ? list_of(mean(seen.vectors))
                               : options_.pool == "first" ? list_of(row(0))
                                                          : list_of(row(seen.vectors.rows - 1));
    written.text += fmt::format("\"vector\":{}}}\n", vector);
  }

  const Options& options_;
  const Embedder& embedder_;
};

void run(const Options& options) {
  const ModelFolder folder = options.models.open();
  const Embedder embedder(folder.model(), options.layer);
  row_work<Written>({{options.file}, true}, options.rows.threads, Work(options, embedder), write_out);
}

Action set_up(CLI::App& app) {
  auto options = std::make_shared<Options>(app);
  app.footer(
      "Writes a JSON object for each line: its number (from 0), its tokens, and a vector for each of them.\n"
      "They are those of the encoder, or of a language model, after a layer; the same word has other "
      "vectors\n"
      "in other sentences.\n\n"
      "  attune embed -m runs/mlm < texts > vectors.jsonl\n"
      "  attune embed -m runs/en-de --pool mean --layer 2 < texts   # one vector for each text");
  app.add_option("--layer", options->layer, "from 0, or -1, -2, .. from the end")->capture_default_str();
  app.add_option(
         "--pool", options->pool,
         "none: a vector for each token; mean, first, last: one for the text, of all its tokens or of one")
      ->check(CLI::IsMember({"none", "mean", "first", "last"}))
      ->capture_default_str();
  app.add_option("file", options->file, "file of texts; '-': stdin");
  options->rows.add_options(app, {"stop", "skip"});
  return [options] { run(*options); };
}

const RegisterVerb registered{{"embed", "contextual vectors of texts", set_up}};

}  // namespace
}  // namespace attune::cli
