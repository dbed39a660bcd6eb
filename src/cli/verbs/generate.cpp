// attune generate: continues a prompt and writes the text as it is generated.
#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "attune/error.h"
#include "attune/threads.h"
#include "base/line_reader.h"
#include "base/stop_signal.h"
#include "cli/options/model_options.h"
#include "cli/options/search_options.h"
#include "cli/options/threads_option.h"
#include "cli/rows/row_work.h"
#include "cli/standard_output.h"
#include "cli/verb.h"

namespace attune::cli {
namespace {

using nlohmann::ordered_json;

struct Options {
  explicit Options(CLI::App& app) : models(app), search(app) {}

  ModelOptions models;
  std::optional<std::string> prompt;
  std::vector<std::string> stops;
  int64_t samples = 1;
  std::string answers;  // empty: as the model was trained
  bool json = false;
  int threads = 0;
  SearchOptionsOfVerb search;
};

class Session {
 public:
  explicit Session(const Options& options) : options_(options) {
    const ModelFolder folder = options.models.open();
    GeneratorOptions wanted{.search = options.search.read(folder), .stops = options.stops};
    SearchOptions& search = wanted.search;
    if (!options.answers.empty()) wanted.answers = options.answers == "true";
    if (!options.search.given("beam_size")) search.beam_size = 1;  // so that text comes at once
    beam_ = search.beam_size > 1 && !search.sampling;
    search.n_best = beam_ ? options.samples : 1;
    if (options.samples > 1 && !beam_ && !search.sampling)
      throw UsageError(
          "generate: greedy search has one output; several need --sampling (or --temperature, --top-k, "
          "--top-p) "
          "or --beam-size");
    generator_.emplace(folder.generator(wanted));
  }

  void answer(const std::string& prompt) {
    if (const auto what = not_text(prompt))
      throw UsageError(fmt::format("prompt {}: {}", number_ + 1, *what));
    try {
      if (beam_)
        for (const Generated& output : generator_->best(prompt)) write(prompt, output, sample_++);
      else
        for (; sample_ < options_.samples; ++sample_) stream(prompt);
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("prompt {}: {}", number_ + 1, error.what()));
    }
    ++number_;
    sample_ = 0;
  }

 private:
  static bool put(std::string_view text) {
    cli::put(text);
    return !StopSignal::asked();
  }

  void stream(const std::string& prompt) {
    const auto draw = static_cast<uint64_t>(number_) + (static_cast<uint64_t>(sample_) << 32);
    const bool plain = !options_.json;
    std::string unwritten = generator_->answers() ? "" : prompt;
    const Generated output = generator_->stream(prompt, draw, [&](const std::string& part) {
      return plain ? put(std::exchange(unwritten, "") + part) : !StopSignal::asked();
    });
    if (plain)
      put(unwritten + "\n");
    else if (!StopSignal::asked())
      write(prompt, output, sample_);
    if (StopSignal::asked()) throw Interrupted();
  }

  void write(const std::string& prompt, const Generated& output, int64_t sample) {
    if (!options_.json) {
      put(output.text + "\n");
      return;
    }
    const ordered_json object{{"line", number_},
                              {"sample", sample},
                              {"prompt", prompt},
                              {"text", output.text},
                              {"score", output.hypothesis.score},
                              {"ended", output.hypothesis.ended},
                              {"stopped", output.stopped},
                              {"tokens", generator_->pieces(output)},
                              {"word_scores", output.hypothesis.word_scores}};
    put(object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  }

  const Options& options_;
  std::optional<Generator> generator_;
  bool beam_ = false;
  int64_t number_ = 0, sample_ = 0;
};

void run(const Options& options) {
  const ThreadCount count(options.threads > 0 ? options.threads : threads());
  Session session(options);
  const StopSignal stop;
  if (options.prompt) {
    session.answer(*options.prompt);
    return;
  }
  const bool asks = isatty(STDIN_FILENO) != 0;
  LineReader reader(STDIN_FILENO, stop.descriptor());
  for (;;) {
    if (asks) fmt::print(stderr, "> ");
    const std::vector<std::string> line = reader.next(1);
    if (line.empty()) break;
    session.answer(line[0]);
  }
  if (asks) fmt::print(stderr, "\n");
  if (StopSignal::asked()) throw Interrupted();
}

Action set_up(CLI::App& app) {
  auto options = std::make_shared<Options>(app);
  app.footer(
      "The prompt comes from the command line, or each line of stdin is one; on a terminal you are asked. "
      "The\n"
      "text is written token by token: greedily, or by sampling if one of its options is given. Beam search\n"
      "writes it all at once. A model that learned from pairs answers the prompt; others continue it.\n\n"
      "  attune generate -m runs/lm 'the old man'\n"
      "  attune generate -m runs/lm --temperature 0.8 --top-p 0.9 --num-samples 3 'the old man'");
  app.add_option("prompt", options->prompt, "prompt; without one: each line of stdin");
  app.add_option("--num-samples", options->samples, "outputs for each prompt")->check(CLI::PositiveNumber);
  app.add_option("--stop", options->stops, "end before this text; may be given several times")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--answer", options->answers,
                 "true: answer the prompt; false: continue it; without this option: as the model was trained")
      ->check(CLI::IsMember({"true", "false"}));
  app.add_flag("--json", options->json, "write one JSON object for each output");
  add_threads_option(app, options->threads);
  options->search.add_options({"alignment", "n_best", "coverage_penalty", "attention_layer", "attention_head",
                               "max_length_factor", "unk"},
                              {.beam_size = 1});
  return [options] { run(*options); };
}

const RegisterVerb registered{{"generate", "continue a prompt", set_up}};

}  // namespace
}  // namespace attune::cli
