// attune answer: the part of a passage that answers a question.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/options/line_options.h"
#include "cli/verb.h"

namespace attune::cli {
namespace {

class Work {
 public:
  Work(const LineOptions& options, const AnswerFinder& finder) : options_(options), finder_(finder) {}

  Written operator()(RowPiece piece) const {
    Written written;
    std::vector<AnswerFinder::Question> questions;
    for (size_t i = 0; i < piece.rows.size(); ++i)
      questions.push_back(read(piece.rows[i], piece.first + static_cast<int64_t>(i), written));
    const auto answers = finder_.find(questions);
    for (size_t i = 0; i < answers.size(); ++i) {
      const int64_t number = piece.first + static_cast<int64_t>(i);
      if (answers[i].cut > 0)
        written.warnings += fmt::format(
            "attune: line {} is longer than the model can read: the last {} tokens of its passage were "
            "ignored\n",
            number + 1, answers[i].cut);
      written.text += as_text(number, answers[i]) + "\n";
    }
    return written;
  }

 private:
  AnswerFinder::Question read(const Row& row, int64_t number, Written& written) const {
    constexpr const char* kBecomes = "left without an answer";
    if (!options_.rows.accept(row, number, kBecomes, written)) return {};
    if (row.size() == 2) return {row[0], row[1]};
    if (row.size() == 1 && row[0].empty()) return {};
    options_.rows.refuse(number,
                         fmt::format("line {}: there are {} columns; write a question, a tab and a passage",
                                     number + 1, row.size()),
                         kBecomes, written);
    return {};
  }

  std::string as_text(int64_t number, const FoundAnswer& answer) const {
    if (!options_.json)
      return answer.text.empty() ? "" : fmt::format("{}\t{:.4f}", answer.text, answer.probability);
    const nlohmann::ordered_json object{{"line", number},
                                        {"answer", answer.text},
                                        {"probability", answer.probability},
                                        {"begin", answer.begin}};
    return object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }

  const LineOptions& options_;
  const AnswerFinder& finder_;
};

void run(const LineOptions& options) {
  const ModelFolder folder = options.models.open();
  const AnswerFinder finder = folder.answer_finder(options.rows.mini_batch_words);
  row_work<Written>({{options.file}, true}, options.rows.threads, Work(options, finder), write_out);
}

Action set_up(CLI::App& app) {
  auto options = std::make_shared<LineOptions>(app);
  app.footer(
      "Each line is a question, a tab and a passage. The output is the part of the passage that answers, a "
      "tab\n"
      "and its probability. A blank line gets no answer.\n\n"
      "  printf 'Who sings?\\tThe cat sleeps and the bird sings.\\n' | attune answer -m runs/answers");
  options->add_options(app, "questions and passages", "write one JSON object per line");
  return [options] { run(*options); };
}

const RegisterVerb registered{{"answer", "answers to questions, found in a text", set_up}};

}  // namespace
}  // namespace attune::cli
