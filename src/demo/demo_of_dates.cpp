#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <span>

#include "base/readable.h"
#include "base/stop_signal.h"
#include "config/yaml.h"
#include "demo/calm_progress.h"
#include "demo/dates.h"
#include "demo/demo.h"
#include "demo/demo_model.h"
#include "demo/languages.h"
#include "demo/print.h"
#include "io/files/file.h"
#include "look/run_record.h"
#include "metrics/answers/word_errors.h"
#include "view/gauge.h"
#include "view/page.h"
#include "view/width.h"

namespace attune::demo {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kValidations = 20;  // pictures of attention that emerges

constexpr size_t kClosely = 1;  // this date is on the page with all its numbers

struct Plan {
  const char *name, *folder, *config;
};

constexpr Plan kPlans[] = {{"Bahdanau", "bahdanau",
                            R"(# A GRU encoder-decoder with the attention of Bahdanau et al. (2015).
type: rnn
attention: additive
embedding: 64
hidden: 128
dropout: 0

vocab_kind: char
mini_batch_words: 500
label_smoothing: 0
learning_rate: 0.008
lr_schedule: cosine
lr_warmup: 50u
after: 2200u

valid_freq: 110u
valid_metrics: [perplexity, exact]  # the first chooses the model: 300 dates that are right or wrong tell less
valid_samples: 4
early_stopping: 0
save_freq: 0
)"},
                           {"Transformer", "transformer",
                            R"(# A small Transformer (Vaswani et al. 2017).
type: transformer
encoder_layers: 2
decoder_layers: 2
d_model: 128
heads: 4
feed_forward: 256
norm: pre
positions: rotary
dropout: 0

vocab_kind: char
mini_batch_words: 800
label_smoothing: 0
learning_rate: 0.002
lr_schedule: cosine
lr_warmup: 50u
after: 1500u

valid_freq: 75u
valid_metrics: [perplexity, exact]  # the first chooses the model: 300 dates that are right or wrong tell less
valid_samples: 4
early_stopping: 0
save_freq: 0
)"}};

// Whose attention is kept while they learn. Its day is one of the showcase, so that no set has it.
const DatePair& emerging() {
  static const DatePair pair{"English", "Nov 15, 2026 at 6:30 pm", "2026-11-15 18:30"};
  return pair;
}

struct Files {
  std::string written, iso;
};

Files write_pairs(const fs::path& folder, const std::string& name, const std::vector<DatePair>& pairs) {
  std::string written, iso;
  for (const DatePair& pair : pairs) {
    written += pair.written + '\n';
    iso += pair.iso + '\n';
  }
  const Files files{(folder / (name + ".written")).string(), (folder / (name + ".iso")).string()};
  write_file_atomically(files.written, written);
  write_file_atomically(files.iso, iso);
  return files;
}

size_t widest(std::span<const DatePair> pairs) {
  size_t width = 0;
  for (const DatePair& pair : pairs) width = std::max(width, view::display_width(pair.written));
  return width;
}

class Story {
 public:
  explicit Story(const DatesDemo& demo) : demo_(demo), folder_(demo.folder) {}

  void tell() {
    make_data();
    if (demo_.data_only) return;
    train_models();
    translate();
    draw();
    write_page();
    say_what_next();
  }

 private:
  void make_data() {
    data_ = make_dates(static_cast<uint64_t>(demo_.seed));
    fs::create_directories(folder_);
    train_ = write_pairs(folder_, "train", data_.train);
    data_.valid.insert(data_.valid.begin(), emerging());  // the first of the samples
    valid_ = write_pairs(folder_, "valid", data_.valid);
    write_pairs(folder_, "test", data_.test);
    std::string links;
    for (const DatePair& pair : data_.test) links += pair.links + '\n';
    write_file_atomically(folder_ / "test.links", links);
    heading("Two models learn to read dates as people write them and to write them as computers do");
    const std::span examples(data_.train.data(), languages().size());
    for (const DatePair& pair : examples)
      fmt::print("  {}  {}\n", view::pad_right(pair.written, widest(examples)), pair.iso);
    fmt::print("\n  {} such lines in {}, made just now. None of them has a day of the test.\n\n",
               grouped(static_cast<int64_t>(data_.train.size())), folder_.string());
    std::fflush(stdout);
  }

  // The configuration, in a file as a reader would write it.
  RunConfig configure(const Plan& plan) const {
    const Entries paths{{"train_sets", {train_.written, train_.iso}, true, {}},
                        {"valid_sets", {valid_.written, valid_.iso}, true, {}},
                        {"model", {(folder_ / plan.folder).string()}, false, {}},
                        {"attend_sentence", {emerging().written + '\t' + emerging().iso}, false, {}},
                        {"seed", {std::to_string(demo_.seed)}, false, {}}};
    const std::string text = fmt::format("{}\n{}", plan.config, write_yaml(paths));
    const std::string name = (folder_ / plan.folder).string() + ".yml";
    write_file_atomically(name, text);
    Entries changes;
    if (demo_.updates > 0)
      changes = {{"after", {fmt::format("{}u", demo_.updates)}, false, "--updates"},
                 {"valid_freq",
                  {fmt::format("{}u", std::max<int64_t>(demo_.updates / kValidations, 1))},
                  false,
                  "--updates"}};
    return read_run_config(read_yaml(text, name), changes);
  }

  void train_models() {
    std::vector<std::string> written, iso;
    for (const DatePair& pair : data_.test) {
      written.push_back(pair.written);
      iso.push_back(pair.iso);
    }
    for (const Plan& plan : kPlans) {
      RunConfig config = configure(plan);
      CalmProgress progress(plan.name, "exact");
      if (train(config, &progress, alone(), TrainFrom::anew) == TrainEnd::interrupted) throw Interrupted();
      models_.emplace_back(plan.name, ModelFolder(config.train.model),
                           SearchOptions{.beam_size = 1, .max_length = 20});
      const double exact =
          metrics::corpus_score(metrics::ExactMatch(), models_.back().translate(written), {iso}).value;
      progress.clear();
      fmt::print("  {}  {} parameters  {}  {:3.0f} s  {:5.1f}% of {} new dates right\n",
                 view::pad_right(plan.name, 12), grouped(progress.parameters()),
                 view::curve(progress.values(), kValidations), progress.seconds(), exact,
                 grouped(static_cast<int64_t>(written.size())));
      std::fflush(stdout);
    }
  }

  void translate() {
    heading("Six days that neither has seen");
    fmt::print("  {}    {}    {}\n", view::pad_right("", widest(showcase())),
               view::pad_right(kPlans[0].name, 16), kPlans[1].name);
    for (const DatePair& pair : showcase()) {
      view::PageSentence sentence{pair.language, pair.iso, {}};
      std::string outputs;
      for (const DemoModel& model : models_) {
        sentence.models.push_back(sentences_.size() == kClosely ? model.look_closely(pair.written)
                                                                : model.look(pair.written));
        const std::string& output = sentence.models.back().target;
        outputs += fmt::format("  {} {}", mark(output == pair.iso), view::pad_right(output, 16));
      }
      sentences_.push_back(std::move(sentence));
      fmt::print("  {}{}\n", view::pad_right(pair.written, widest(showcase())), outputs);
    }
  }

  // The Chinese date with the first model, the English one with the second.
  void draw() const {
    heading("Where they looked: one row per character they wrote, one column per character they read");
    for (size_t m = 0; m < models_.size(); ++m) {
      const view::Attention& seen = sentences_[1 - m].models[m];
      fmt::print("  {}: {}\n\n", seen.model, seen.source);
      print_map(demo_map(seen));
    }
  }

  void write_page() const {
    if (!view::has_pages()) return;
    const fs::path file = folder_ / "attention.html";
    view::Page page{
        .title = {"Two models learn to read dates", "两个模型学读日期"},
        .text =
            {"They read dates as people write them and write them as computers do. Nobody tells them where "
             "to look: watch them find out, then let Story tell you in five steps how it works.",
             "模型读入人们书写的日期，写出计算机使用的格式。没有人告诉它们该看哪里：先看它们如何学会，"
             "再到“故事”里用五步弄懂原理。"},
        .sentences = sentences_,
        .opens = "training"};
    for (const Plan& plan : kPlans)
      page.runs.push_back(run_record(folder_ / plan.folder, plan.name, RunDetail::alignment));
    write_file_atomically(file, view::html(page));
    fmt::print("  How they learned where to look, and all six dates, as a page for your browser: {}\n",
               file.string());
  }

  void say_what_next() const {
    heading("What to type next");
    const std::string attune = program_name(), folder = folder_.string();
    fmt::print(
        "  Your own data: two text files whose lines belong together, and two more to see how good it gets\n"
        "    {0} train --type transformer --train-sets train.en train.de --valid-sets dev.en dev.de --model "
        "runs/en-de\n"
        "    {0} translate -m runs/en-de < new.en > new.de\n\n"
        "  Another attention for these dates: general, concat or none\n"
        "    {0} train {1}/bahdanau.yml --attention general --model {1}/general\n\n"
        "  Real text, English to Chinese\n"
        "    ./run demo zh\n",
        attune, folder);
  }

  DatesDemo demo_;
  fs::path folder_;
  DateSets data_;
  Files train_, valid_;
  std::vector<DemoModel> models_;
  std::vector<view::PageSentence> sentences_;
};

}  // namespace

void run_demo(const DatesDemo& demo) { Story(demo).tell(); }

}  // namespace attune::demo
