// A small model with attention learns to write words backwards while one watches: what it looked at for each
// letter is drawn as a picture.
#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "attune/autograd.h"
#include "attune/error.h"
#include "cli/verb.h"
#include "nn/layers.h"
#include "tensor/arena.h"

namespace attune::cli {
namespace {

constexpr int64_t kLetters = 26, kBegin = 26, kEnd = 27, kSymbols = 28;
constexpr size_t kLongest = 12;

using Words = std::vector<std::string>;

struct Sentences {
  Tensor ids;  // [tokens]
  Rows rows;
};

Sentences join(const std::vector<std::vector<int32_t>>& sentences) {
  std::vector<int32_t> ids;
  std::vector<int64_t> lengths;
  for (const auto& sentence : sentences) {
    ids.insert(ids.end(), sentence.begin(), sentence.end());
    lengths.push_back(static_cast<int64_t>(sentence.size()));
  }
  return {Tensor::of<int32_t>({static_cast<int64_t>(ids.size())}, ids), Rows(lengths)};
}

std::vector<int32_t> spell(const std::string& word) {
  std::vector<int32_t> ids;
  for (const char c : word) ids.push_back(c - 'a');
  return ids;
}

Sentences encode(const Words& words) {
  std::vector<std::vector<int32_t>> sentences;
  for (const std::string& word : words) sentences.push_back(spell(word));
  return join(sentences);
}

bool is_small_letter(char c) { return c >= 'a' && c <= 'z'; }

std::string backwards(const std::string& word) { return {word.rbegin(), word.rend()}; }

// Bidirectional GRU encoder; GRU decoder; Bahdanau's score between the decoder's states and the encoder's;
// the context and the state give the next letter.
struct Reverser {
  Embedding source, target;
  Recurrent forward, backward, decoder;
  Linear query, key;
  Tensor v;
  Linear mix, output;

  Reverser(const Scope& p, int64_t d, int64_t h)
      : source(p / "source", kSymbols, d),
        target(p / "target", kSymbols, d),
        forward(p / "forward", Cell::gru, d, h),
        backward(p / "backward", Cell::gru, d, h),
        decoder(p / "decoder", Cell::gru, d, h),
        query(p / "query", h, h),
        key(p / "key", 2 * h, h, false),
        v(p.param("v", {h}, normal(1 / std::sqrt(static_cast<double>(h))))),
        mix(p / "mix", 3 * h, h),
        output(p / "output", h, kSymbols) {}

  Tensor encode(const Sentences& words) const {
    const Tensor x = source(words.ids);
    return concat_columns({forward(x, words.rows).h, backward(x, words.rows, {}, true).h});  // [letters, 2 h]
  }

  // What the output layer sees for every letter to be written, given the letters before it.
  Tensor decode(const Tensor& states, const Rows& words, const Sentences& before,
                Lens* lens = nullptr) const {
    const Tensor s = decoder(target(before.ids), before.rows).h;
    const Tensor context = additive_attention(query(s), key(states), v, states, before.rows, words, lens);
    return mix(concat_columns({s, context}), Activation::tanh);
  }

  CrossEntropy loss(const Words& words) const {
    std::vector<std::vector<int32_t>> before, after;
    for (const std::string& word : words) {
      before.push_back(spell(backwards(word)));
      after.push_back(before.back());
      before.back().insert(before.back().begin(), kBegin);
      after.back().push_back(kEnd);
    }
    const Sentences in = attune::cli::encode(words);
    const Tensor features = decode(encode(in), in.rows, join(before));
    return linear_cross_entropy(features, output.weight, output.bias, join(after).ids);
  }

  // The most probable letter, step by step, until the end or as many letters as a word may have.
  std::string write(const std::string& word, Lens* lens = nullptr) const {
    const NoGrad no_grad;
    const Sentences in = attune::cli::encode({word});
    const Tensor states = encode(in);
    std::vector<int32_t> written{kBegin};
    while (written.size() <= kLongest) {
      const Tensor features = decode(states, in.rows, join({written}));
      const Tensor logits = output(slice_rows(features, features.rows() - 1, features.rows()));
      const auto scores = logits.span<float>();
      const auto best = static_cast<int32_t>(std::ranges::max_element(scores) - scores.begin());
      if (best >= kLetters) break;
      written.push_back(best);
    }
    if (lens != nullptr) decode(states, in.rows, join({written}), lens);
    std::string text;
    for (size_t i = 1; i < written.size(); ++i) text += static_cast<char>('a' + written[i]);
    return text;
  }
};

// Word n of a stream: 3 to 10 letters.
std::string make_word(const Random& random, uint64_t n) {
  const Random letters = random.stream(n);
  std::string word(3 + letters.below(8, 0), ' ');
  for (size_t i = 0; i < word.size(); ++i) word[i] = static_cast<char>('a' + letters.below(kLetters, i + 1));
  return word;
}

struct Picture final : Lens {
  void attention(std::string_view, const Tensor& weights, const Rows&, const Rows&, int) override {
    numbers = weights.clone();
  }

  // A row for each letter that was written, a column for each letter that was read.
  void draw(const std::string& read, const std::string& written) const {
    static constexpr const char* kShades[] = {"  ", "░░", "▒▒", "▓▓", "██"};
    fmt::print("\n    ");
    for (const char c : read) fmt::print(" {} ", c);
    fmt::print("\n");
    for (size_t i = 0; i < written.size(); ++i) {
      fmt::print("  {} ", written[i]);
      for (size_t j = 0; j < read.size(); ++j) {
        const float weight = numbers.span<float>()[i * read.size() + j];
        fmt::print("{} ", kShades[std::clamp(static_cast<int>(std::lround(weight * 4)), 0, 4)]);
      }
      fmt::print("\n");
    }
  }

  Tensor numbers;
};

struct Options {
  int64_t updates = 1000;
  uint64_t seed = 1;
  std::vector<std::string> words{"attention", "sequence", "reversed"};
};

void train(const Reverser& model, Parameters& parameters, const Options& options) {
  constexpr int64_t kBatch = 64;
  const bool live = isatty(STDERR_FILENO) != 0;
  const Random data = Random(options.seed).stream(1);
  const Tensor m = Tensor::zeros(parameters.values().shape()), v = Tensor::zeros(parameters.values().shape());
  for (int64_t step = 1; step <= options.updates; ++step) {
    Words words;
    for (int64_t i = 0; i < kBatch; ++i)
      words.push_back(make_word(data, static_cast<uint64_t>(step * kBatch + i)));
    parameters.zero_gradients();
    {
      const CrossEntropy result = model.loss(words);
      const double letters = static_cast<double>(result.counted);
      backward(result.loss, 1 / letters);
      const double rate =
          5e-3 * static_cast<double>(options.updates - step + 1) / static_cast<double>(options.updates);
      const double norm = std::sqrt(squared_norm(parameters.gradients()));
      adam(parameters.values(), parameters.gradients(), m, v,
           {.learning_rate = rate, .gradient_scale = std::min(1.0, 1 / norm), .step = step});
      if (step % 100 == 0 || (live && step % 10 == 0))
        fmt::print(stderr, "{}update {:4}   loss a letter {:.3f}   letters right {:5.1f}%{}",
                   live ? "\r" : "", step, result.loss.item() / letters,
                   100 * static_cast<double>(result.correct) / letters,
                   live && step < options.updates ? "" : "\n");
    }
    Arena::current()->reset();
  }
}

void demo(const Options& options) {
  constexpr int64_t kTests = 200;
  for (const std::string& word : options.words)
    if (word.empty() || word.size() > kLongest || !std::ranges::all_of(word, is_small_letter))
      throw UsageError(
          fmt::format("demo: '{}' is not a word of 1 to {} small letters a to z", word, kLongest));
  Parameters parameters;
  const Reverser model(Scope(parameters, Random(options.seed)), 32, 64);
  fmt::print(
      "A GRU encoder-decoder with Bahdanau attention ({} parameters) learns to write words backwards.\n\n",
      parameters.count());
  std::fflush(stdout);
  train(model, parameters, options);

  const Random unseen = Random(options.seed).stream(2);
  int64_t right = 0;
  for (uint64_t i = 0; i < kTests; ++i) {
    const std::string word = make_word(unseen, i);
    right += model.write(word) == backwards(word);
  }
  fmt::print("\n{} of {} new words are written backwards without a mistake.\n", right, kTests);
  for (const std::string& word : options.words) {
    Picture picture;
    const std::string written = model.write(word, &picture);
    fmt::print("\n{} -> {}\n", word, written);
    picture.draw(word, written);
  }
  fmt::print(
      "\nEach row shows where the model looked when it wrote that letter: it has found the order by "
      "itself.\n");
}

Action set_up(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("words", options->words, "words to reverse after training");
  app.add_option("--updates", options->updates, "training steps of 64 words")->check(CLI::PositiveNumber);
  app.add_option("--seed", options->seed, "of the first values and the data");
  return [options] { demo(*options); };
}

const RegisterVerb registered{{"demo", "train a small attention model and look inside it", set_up}};

}  // namespace
}  // namespace attune::cli
