// attune predict: rows of numbers for each sample.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "attune/error.h"
#include "cli/options/line_options.h"
#include "cli/verb.h"

namespace attune::cli {
namespace {

using nlohmann::ordered_json;

class Work {
 public:
  Work(const LineOptions& options, const Predictor& predictor) : options_(options), predictor_(predictor) {}

  Written operator()(RowPiece piece) const {
    Written written;
    std::vector<TokenIds> samples;
    for (size_t i = 0; i < piece.rows.size(); ++i)
      samples.push_back(read(piece.rows[i], piece.first + static_cast<int64_t>(i), written));
    const auto predicted = predictor_.predict(samples);
    for (size_t i = 0; i < predicted.size(); ++i) {
      const int64_t number = piece.first + static_cast<int64_t>(i);
      written.text += options_.json ? as_json(number, predicted[i]) : as_text(number, predicted[i]);
    }
    return written;
  }

 private:
  TokenIds read(const Row& row, int64_t number, Written& written) const {
    constexpr const char* kBecomes = "left without an answer";
    if (!options_.rows.accept(row, number, kBecomes, written)) return {};
    try {
      return predictor_.sample(row[0]);
    } catch (const UsageError& error) {
      options_.rows.refuse(number, fmt::format("line {}: {}", number + 1, error.what()), kBecomes, written);
      return {};
    }
  }

  static std::string as_text(int64_t number, const PredictedRows& table) {
    std::string text = number > 0 ? "\n" : "";
    for (size_t i = 0; i < table.numbers.size(); ++i)
      text += fmt::format("{:.6g}{}", table.numbers[i],
                          static_cast<int64_t>(i + 1) % table.width == 0 ? '\n' : '\t');
    return text;
  }

  static std::string as_json(int64_t number, const PredictedRows& table) {
    ordered_json object{{"line", number}, {"rows", ordered_json::array()}};
    for (int64_t r = 0; r < table.rows; ++r) {
      const auto row = table.numbers.begin() + r * table.width;
      object["rows"].push_back(std::vector<float>(row, row + table.width));
    }
    return object.dump() + "\n";
  }

  const LineOptions& options_;
  const Predictor& predictor_;
};

void run(const LineOptions& options) {
  const ModelFolder folder = options.models.open();
  const Predictor predictor = folder.predictor(options.rows.mini_batch_words);
  row_work<Written>({{options.file}, false}, options.rows.threads, Work(options, predictor), write_out);
}

Action set_up(CLI::App& app) {
  auto options = std::make_shared<LineOptions>(app);
  app.footer(
      "Each line names a sample as the training files do, for example a part of a table: series.csv:0-96.\n"
      "The answer has a line for each row, with tabs between numbers, and a blank line between samples.\n\n"
      "  echo series.csv:17324-17420 | attune predict -m runs/series\n"
      "  attune predict -m runs/series --json samples.txt");
  options->add_options(app, "names of samples", "write one JSON object per sample");
  return [options] { run(*options); };
}

const RegisterVerb registered{{"predict", "numbers for samples that are numbers", set_up}};

}  // namespace
}  // namespace attune::cli
