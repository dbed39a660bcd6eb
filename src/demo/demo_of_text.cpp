#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "attune/error.h"
#include "base/readable.h"
#include "base/stop_signal.h"
#include "config/yaml.h"
#include "demo/calm_progress.h"
#include "demo/demo.h"
#include "demo/demo_model.h"
#include "demo/print.h"
#include "io/files/file.h"
#include "look/run_record.h"
#include "view/gauge.h"
#include "view/page.h"

namespace attune::demo {
namespace {

constexpr double kValidations = 10;
constexpr size_t kSamples = 6, kWidestMap = 36;  // source tokens that fit on a terminal

RunConfig configure(const TextDemo& demo) {
  const double seconds = demo.minutes * 60;
  const auto change = [](const char* key, std::vector<std::string> values) {
    const bool list = values.size() > 1;
    return Entry{key, std::move(values), list, "attune demo"};
  };
  RunConfig config =
      read_run_config(read_yaml(read_file(demo.config, 1 << 20), demo.config),
                      {change("after", {fmt::format("{}s", seconds)}),
                       change("valid_freq", {fmt::format("{}s", seconds / kValidations)}),
                       change("valid_metrics", {"chrf", "bleu"}),
                       change("valid_samples", {std::to_string(kSamples)}), change("early_stopping", {"0"})});
  if (!config.model->task().translates())
    throw UsageError(
        fmt::format("{}: the demo is for models that translate: rnn and transformer", demo.config));
  if (config.train.valid_sets.empty())
    throw UsageError(fmt::format("{}: the demo needs valid_sets: it translates them", demo.config));
  return config;
}

std::string scores(const Validation& validation) {
  std::string text;
  for (const auto& [metric, value] : validation.values) text += fmt::format("  {} {:.1f}", metric, value);
  return text;
}

void show_translations(const Validation& first, const Validation& last) {
  heading("Sentences that the model was not trained on");
  for (size_t i = 0; i < last.samples.size(); ++i)
    fmt::print("  {}\n    at first   {}\n    now        {}\n    reference  {}\n\n", last.samples[i].source,
               first.samples[i].output, last.samples[i].output, last.samples[i].reference);
  fmt::print("  at first {}\n  now      {}\n", scores(first), scores(last));
}

void show_attention(const std::filesystem::path& folder, const Validation& last) {
  const DemoModel model(folder.filename().string(), ModelFolder(folder), {});
  view::Page page{
      .title = {"Where the model looked", "模型看了哪里"},
      .text = {"Each row is a piece of a word that was written, each column one that was read; the lighter a "
               "cell, the more the model looked there.",
               "每行是写出的一个词片，每列是读入的一个词片；颜色越亮，模型看得越多。"},
      .runs = {run_record(folder, folder.filename().string())}};
  const view::Attention* shown = nullptr;
  for (const auto& sample : last.samples)
    page.sentences.push_back({"", sample.reference, {model.look(sample.source)}});
  for (const view::PageSentence& sentence : page.sentences) {
    const view::Attention& seen = sentence.models[0];
    const size_t words = seen.encoder_tokens.size();
    if (words <= kWidestMap && (shown == nullptr || words > shown->encoder_tokens.size())) shown = &seen;
  }
  if (shown != nullptr) {
    heading("Where it looked: one row per piece it wrote, one column per piece it read");
    print_map(demo_map(*shown));
  }
  if (!view::has_pages()) return;
  const std::filesystem::path file = folder / "attention.html";
  write_file_atomically(file, view::html(page));
  fmt::print("  The attention of all of them, as a page for your browser: {}\n", file.string());
}

}  // namespace

void run_demo(const TextDemo& demo) {
  RunConfig config = configure(demo);
  heading(fmt::format("{} minutes of training with {}", demo.minutes, demo.config));
  std::fflush(stdout);
  CalmProgress progress("training", "chrf");
  if (train(config, &progress) == TrainEnd::interrupted) throw Interrupted();
  progress.clear();
  const std::string attune = program_name();
  if (progress.validations().empty())
    throw UsageError(
        fmt::format("{} has already been trained for {} minutes; a larger --minutes continues it",
                    config.train.model, demo.minutes));
  fmt::print("  {:.1f} M parameters, {}, chrF {}\n", static_cast<double>(progress.parameters()) / 1e6,
             duration(progress.seconds()), view::curve(progress.values(), 10));
  show_translations(progress.validations().front(), progress.validations().back());
  show_attention(config.train.model, progress.validations().back());
  fmt::print("\n  To continue training:   {} train {}\n", attune, demo.config);
}

}  // namespace attune::demo
