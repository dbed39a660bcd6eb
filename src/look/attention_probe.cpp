#include "look/attention_probe.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "attune/autograd.h"
#include "attune/error.h"
#include "decode/answer_finder.h"
#include "decode/translator.h"
#include "look/attention_lens.h"
#include "look/gradients.h"
#include "look/scenes.h"
#include "models/read_tokens.h"
#include "models/task.h"
#include "view/head_matrices.h"

namespace attune {
namespace {

using Ids = std::vector<int32_t>;

constexpr int64_t kGuesses = 3;  // of each layer at each step

std::vector<std::string> pieces(const Vocabulary& vocabulary, const Ids& ids) {
  std::vector<std::string> all;
  for (const int32_t id : ids) all.push_back(vocabulary.piece(id));
  return all;
}

std::vector<view::Candidate> candidates(const Vocabulary& vocabulary,
                                        const std::vector<NextWords::Word>& words) {
  std::vector<view::Candidate> all;
  for (const auto& [id, log_p] : words) all.push_back({vocabulary.piece(id), std::exp(log_p)});
  return all;
}

NextWords next_words(const Model& model, const Tensor& features) {
  static constexpr double kWeight[] = {1};
  return {{model.logits(features)}, kWeight};
}

// The words of an output in order, each with the candidates for its position.
std::vector<view::SearchNode> path(const NextWords& words, const Vocabulary& vocabulary, const Ids& output,
                                   std::span<const int64_t> rows, int64_t kept) {
  std::vector<view::SearchNode> nodes(1);
  nodes[0].on_result = true;
  for (size_t i = 0; i < output.size(); ++i) {
    nodes[i].candidates = candidates(vocabulary, words.best(rows[i], kept));
    const double log_p = words.log_p(rows[i], output[i]);
    nodes.push_back({.parent = static_cast<int64_t>(i),
                     .token = vocabulary.piece(output[i]),
                     .log_p = log_p,
                     .score = nodes[i].score + log_p,
                     .ended = output[i] == vocabulary.eos(),
                     .on_result = true,
                     .candidates = {}});
  }
  return nodes;
}

std::vector<view::SearchNode> tree(const SearchTrace& trace, const Vocabulary& vocabulary) {
  std::vector<view::SearchNode> nodes;
  for (const SearchTrace::Node& node : trace.nodes)
    nodes.push_back({.parent = node.parent,
                     .token = node.word < 0 ? "" : vocabulary.piece(node.word),
                     .log_p = node.log_p,
                     .score = node.score,
                     .ended = node.word == vocabulary.eos(),
                     .on_result = false,
                     .candidates = candidates(vocabulary, node.candidates)});
  for (int64_t n = trace.result; n >= 0; n = nodes[static_cast<size_t>(n)].parent)
    nodes[static_cast<size_t>(n)].on_result = true;
  return nodes;
}

// [CLS] text [SEP] text [SEP]
bool reads_two_texts(const TextModel& model) {
  const Task* const task = &model.task();
  const Vocabulary& words = *model.vocabularies().source;
  return words.vectors() == nullptr && !words.several() &&
         (task == &answer_task() || task == &classify_task() || task == &fill_task());
}

void keep(const AttentionLens& lens, view::Attention& seen) {
  seen.layers = lens.layers();
  seen.inputs = lens.inputs();
  seen.states = lens.states();
  seen.gates = lens.gates();
}

}  // namespace

AttentionProbe::AttentionProbe(std::shared_ptr<const TextModel> model, ProbeOptions options)
    : model_(std::move(model)), options_(std::move(options)) {
  if (options_.name.empty()) options_.name = model_->name();
  if (model_->models().size() > 1)
    throw UsageError(fmt::format("{}: attention can be shown for one model at a time, not for an ensemble",
                                 options_.name));
  if (&model_->task() == &tag_task())
    throw UsageError(fmt::format("{}: a model of type {} that {} has no attention to show", options_.name,
                                 model_->type(), model_->task().does()));
}

view::Attention AttentionProbe::look(const std::string& source,
                                     const std::optional<std::string>& target) const {
  if (!model_->writes() && target && !reads_two_texts(*model_))
    throw UsageError(fmt::format("{}: a model of type {} that {} reads one text; leave out the target",
                                 options_.name, model_->type(), model_->task().does()));
  if (model_->task().answers_with_span() && !target)
    throw UsageError(fmt::format("{}: this model {}; write a question, a tab and a passage", options_.name,
                                 model_->task().does()));
  if (!model_->writes() && options_.gradients)
    throw UsageError(fmt::format("{}: gradients are shown of what a model wrote, but one of type {} reads",
                                 options_.name, model_->type()));
  Seen all;
  {
    const NoGrad no_grad;
    all = model_->writes() ? probe_writer(source, target) : Seen{probe_reader(source, target)};
  }
  view::Attention& seen = all.attention;
  if (options_.gradients) seen.gradients = gradients_by_input(*model_, all.read, all.written);
  if (options_.numbers) keep_matrices(seen, options_.matrices);
  seen.model = options_.name;
  seen.type = model_->type();
  seen.source = target && !model_->writes() ? source + "\t" + *target : source;
  seen.aligning_layer = options_.search.attention_layer;
  seen.aligning_head = options_.search.attention_head;
  seen.positions = options_.positions;
  if (seen.layers.empty() && !(seen.encoder_tokens.empty() && seen.decoder_tokens.empty()))
    throw UsageError(
        fmt::format("{}: this model of type {} has no attention to show", options_.name, model_->type()));
  return std::move(all.attention);
}

// The output of the search, with </s> if it ended; empty if no word has a probability.
AttentionProbe::Ids AttentionProbe::search(const std::string& source, view::Attention& seen) const {
  const Vocabulary& vocabulary = *model_->vocabularies().target;
  const bool continues = model_->continues();
  const TranslatorInput input{.text = continues ? "" : source,
                              .prefix = continues && options_.begin.empty() ? source : options_.begin};
  const size_t prompt = continues ? vocabulary.encode(input.prefix).size() : 0;
  TranslatorOptions options{.search = options_.search};
  options.search.alignment = false;
  options.search.max_length += static_cast<int64_t>(prompt);
  const Translator translator(model_, options);
  if (!translator.has_room(input))
    throw UsageError(fmt::format("{}: the prompt has {} tokens, which leaves the model no room to write",
                                 options_.name, prompt));
  SearchTrace trace;
  const std::vector<Hypothesis> found = translator.search(input, options_.candidates, trace);
  if (found.empty()) return {};
  Ids output = found[0].words;
  if (found[0].ended) output.push_back(vocabulary.eos());
  seen.target = translator.text(found[0], input);
  seen.tree = tree(trace, vocabulary);
  return output;
}

AttentionProbe::Seen AttentionProbe::probe_writer(const std::string& source,
                                                  const std::optional<std::string>& target) const {
  const auto& [from, to] = model_->vocabularies();
  const bool prompted = model_->task().continues_text(), continues = model_->continues();
  Seen all;
  view::Attention& seen = all.attention;
  const Ids read = continues ? Ids{} : model_->task().source(model_->vocabularies(), source);
  if (read.empty() && !prompted) return all;
  const auto refuse = [&](const char* what, size_t tokens, int64_t most) {
    throw UsageError(fmt::format("{}: the {} has {} tokens, but the model takes at most {}", options_.name,
                                 what, tokens, most));
  };
  if (model_->longest() > 0 && static_cast<int64_t>(read.size()) > model_->longest())
    refuse("source", read.size(), model_->longest());

  Ids written;
  if (target) {
    if (continues) written = to->encode(source);
    const Ids rest = to->encode(*target);
    written.insert(written.end(), rest.begin(), rest.end());
    written.push_back(to->eos());
    seen.target = continues ? to->decode(written) : *target;
    seen.forced = true;
    const int64_t room = model_->writers().room(static_cast<int64_t>(read.size()));
    if (static_cast<int64_t>(written.size()) > room) refuse("target", written.size(), room);
  } else {
    written = search(source, seen);
  }
  if (written.empty()) return {};

  Ids given = written;
  std::shift_right(given.begin(), given.end(), 1);
  given[0] = to->bos();
  AttentionLens lens(options_.head, options_.numbers);
  Pass pass(&lens);
  const NextWords words = next_words(network(), network().features({.source = read_tokens(*from, {read}),
                                                                    .given = one_sentence(given),
                                                                    .segments = {},
                                                                    .expected = {}},
                                                                   pass));
  if (target) {
    std::vector<int64_t> rows(written.size());
    std::iota(rows.begin(), rows.end(), 0);
    seen.tree = path(words, *to, written, rows, options_.candidates);
  }
  keep(lens, seen);
  for (const Tensor& state : lens.decoder_states()) {
    const NextWords guess = next_words(network(), state);
    auto& steps = seen.guesses.emplace_back();
    for (int64_t t = guess.rows() - std::ssize(written); t < guess.rows(); ++t)
      steps.push_back(candidates(*to, guess.best(t, kGuesses)));
  }
  seen.decoder_tokens = pieces(*to, given);
  seen.decoder_outputs = pieces(*to, written);
  if (prompted) {
    const auto prompt = pieces(*from, read);
    seen.decoder_tokens.insert(seen.decoder_tokens.begin(), prompt.begin(), prompt.end());
  } else {
    seen.encoder_tokens = pieces(*from, read);
    seen.scenes = scenes_of(*from, read);
  }
  all.read = read;
  all.written = written;
  return all;
}

view::Attention AttentionProbe::probe_reader(const std::string& text,
                                             const std::optional<std::string>& second) const {
  const Task& task = model_->task();
  const Vocabularies& vocabularies = model_->vocabularies();
  view::Attention seen;
  std::vector<std::string> texts{text};
  if (second) texts.push_back(*second);
  const std::vector<Ids> question = task.question(vocabularies, texts);
  const Ids& read = question[0];
  if (read.empty()) return seen;
  if (model_->longest() > 0 && static_cast<int64_t>(read.size()) > model_->longest())
    throw UsageError(fmt::format("{}: the text has {} tokens, but the model takes at most {}", options_.name,
                                 read.size(), model_->longest()));
  AttentionLens lens(options_.head, options_.numbers);
  Pass pass(&lens);
  const Batch batch = task.batch(vocabularies, {Example{question}});
  const Tensor features = network().features(batch, pass);
  if (task.answers_with_span()) {
    const AnswerFinder::Question asked{text, *second};
    seen.target = AnswerFinder(model_, std::ssize(read)).find({&asked, 1})[0].text;
  } else if (!task.answers_with_numbers()) {
    const NextWords words = next_words(network(), features);
    const std::vector<int64_t> rows = task.answer_rows(vocabularies, question);
    Ids answers;
    for (const int64_t row : rows) answers.push_back(words.best(row, 1)[0].id);
    seen.target = task.answer_text(vocabularies, read, answers);
    seen.tree = path(words, *vocabularies.target, answers, rows, options_.candidates);
  }
  keep(lens, seen);
  seen.encoder_tokens = pieces(*vocabularies.source, read);
  seen.scenes = scenes_of(*vocabularies.source, read);
  return seen;
}

}  // namespace attune
