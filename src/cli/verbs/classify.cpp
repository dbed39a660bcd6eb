// attune classify: the class of each text, or the tags of its tokens.
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

struct Options : LineOptions {
  using LineOptions::LineOptions;

  int64_t top = 1;
};

ordered_json json_of(const Classifier::Labels& labels) {
  ordered_json list = ordered_json::array();
  for (const auto& [name, log_p] : labels)
    list.push_back({{"label", name}, {"probability", std::exp(log_p)}});
  return list;
}

class Work {
 public:
  Work(const Options& options, const Classifier& classifier, bool tags)
      : options_(options), classifier_(classifier), tags_(tags) {}

  Written operator()(RowPiece piece) const {
    Written written;
    std::vector<ClassifierLine> lines;
    for (size_t i = 0; i < piece.rows.size(); ++i)
      lines.push_back(read(piece.rows[i], piece.first + static_cast<int64_t>(i), written));
    const auto labels = classifier_.classify(lines);
    for (size_t i = 0; i < lines.size(); ++i)
      written.text += (options_.json ? as_json(piece.first + static_cast<int64_t>(i), lines[i], labels[i])
                                     : as_text(labels[i])) +
                      "\n";
    return written;
  }

 private:
  ClassifierLine read(const Row& row, int64_t number, Written& written) const {
    if (!options_.rows.accept(row, number, "left without an answer", written)) return {};
    if (row.size() > classifier_.most_columns()) {
      options_.rows.refuse(number,
                           fmt::format("line {}: there are {} columns, but this model reads {}", number + 1,
                                       row.size(), classifier_.most_columns()),
                           "left without an answer", written);
      return {};
    }
    ClassifierLine line = line_of(row, number, written);
    if (line.cut > 0)
      written.warnings +=
          fmt::format("attune: line {} is longer than the model can read: its last {} tokens were ignored\n",
                      number + 1, line.cut);
    return line;
  }

  // A file that a line names may not be readable.
  ClassifierLine line_of(const Row& row, int64_t number, Written& written) const {
    try {
      return classifier_.line(row);
    } catch (const UsageError& error) {
      options_.rows.refuse(number, fmt::format("line {}: {}", number + 1, error.what()),
                           "left without an answer", written);
      return {};
    }
  }

  // label, tab, probability, and so on; or the tags with blanks between them.
  std::string as_text(const std::vector<Classifier::Labels>& labels) const {
    std::string text;
    for (const Classifier::Labels& each : labels) {
      if (tags_) text += (text.empty() ? "" : " ") + each[0].name;
      for (size_t i = 0; i < each.size() && !tags_; ++i)
        text += fmt::format("{}{}\t{:.4f}", i == 0 ? "" : "\t", each[i].name, std::exp(each[i].log_p));
    }
    return text;
  }

  std::string as_json(int64_t number, const ClassifierLine& line,
                      const std::vector<Classifier::Labels>& labels) const {
    ordered_json object{{"line", number}};
    if (tags_) {
      object["tokens"] = classifier_.pieces(line);
      object["labels"] = ordered_json::array();
      for (const Classifier::Labels& each : labels) object["labels"].push_back(json_of(each));
    } else {
      object["labels"] = labels.empty() ? ordered_json::array() : json_of(labels[0]);
    }
    return object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }

  const Options& options_;
  const Classifier& classifier_;
  bool tags_;
};

void run(const Options& options) {
  const ModelFolder folder = options.models.open();
  const Classifier classifier = folder.classifier({options.top, options.rows.mini_batch_words});
  const bool tags = folder.task().labels_each_token();
  if (tags && options.top > 1 && !options.json)
    throw UsageError("classify: plain output has one tag per token; with --top, tags need --json");
  row_work<Written>({{options.file}, !tags}, options.rows.threads, Work(options, classifier, tags),
                    write_out);
}

Action set_up(CLI::App& app) {
  auto options = std::make_shared<Options>(app);
  app.footer(
      "Each line is a text, or two texts with a tab between them. The answer is its class, a tab and the\n"
      "probability; a tagger answers with the tags of its tokens, separated by blanks. A blank line gets no\n"
      "answer.\n\n"
      "  attune classify -m runs/topics < texts\n"
      "  attune classify -m runs/topics --top 3 --json texts");
  app.add_option("--top", options->top, "write this many of the likeliest classes, best first")
      ->default_val(1)
      ->check(CLI::PositiveNumber);
  options->add_options(app, "texts",
                       "write one JSON object per line, which also has the probabilities of tags");
  return [options] { run(*options); };
}

const RegisterVerb registered{{"classify", "the class of each text, or a tag for each token", set_up}};

}  // namespace
}  // namespace attune::cli
