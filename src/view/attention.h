// Attention: everything that a model looked at for one sentence (every layer, every head), with readable
// words, and how the output was found.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "view/matrix.h"
#include "view/scene.h"

namespace attune::view {

// From the source to itself, from the output to itself, from the output to the source.
enum class AttentionKind : uint8_t { encoder, decoder, cross };
std::span<const char* const> enum_names(AttentionKind);
const char* name_of(AttentionKind kind);

// Rows of numbers.
struct NumberTable {
  size_t rows = 0, columns = 0;
  std::vector<float> numbers = {};
};

struct AttentionLayer {
  AttentionKind kind = AttentionKind::cross;
  int64_t number = 0;               // from 0
  std::vector<int64_t> heads = {};  // which ones these are; none: there is one matrix, the mean of all
  size_t queries = 0, keys = 0;     // tokens
  std::vector<float> weights = {};  // [heads, queries, keys]
  // [heads, keys]: how long the vector is that a key gives if it gets all the weight (Kobayashi et al. 2020);
  // none: not known.
  std::vector<float> value_norms = {};

  size_t matrices() const { return heads.empty() ? 1 : heads.size(); }
};

// What the weights of a layer were computed from, heads side by side in the columns.
struct LayerInputs {
  AttentionKind kind = AttentionKind::cross;
  int64_t number = 0, heads = 1;
  std::string score = {};  // as lens.h has it
  NumberTable queries = {}, keys = {}, values = {};
  std::vector<float> v = {};
  NumberTable x = {};  // what the queries were computed from
  // By which they were multiplied (head_matrices.h), or empty: for queries, keys and values (each [columns,
  // size of x]) and for what the heads mixed. Of one head, or of all: -1.
  int64_t matrix_head = -1;
  NumberTable query_weight = {}, key_weight = {}, value_weight = {}, out = {};
};

// The vectors of tokens after a layer of a stack; -1: before the first.
struct LayerStates {
  bool decoder = false;
  int64_t number = 0;
  NumberTable vectors = {};
};

// What the gates of a recurrent layer let through in each step.
struct LayerGates {
  bool decoder = false;
  int64_t number = 0;
  bool backward = false;         // it reads from the last token to the first
  std::string cell = {};         // rnn: n; gru: r, z, n; lstm: i, f, g, o
  NumberTable gates = {};        // [steps, gates h], one gate after another
  NumberTable before = {};       // [steps, h]: the states before
  NumberTable cell_before = {};  // the same of c; lstm only
};

// What the model loses without each head of a layer, over a test set: in nats, for a token.
struct LayerImportance {
  AttentionKind kind = AttentionKind::cross;
  int64_t number = 0;
  std::vector<double> losses = {};  // by head
};

// Gradient x input: how the log probability of each written token (a row) depends, to first order, on each
// token that was read (a column): sum_i x_i d log p / d x_i.
struct Gradients {
  AttentionKind kind = AttentionKind::cross;  // which tokens the columns are
  NumberTable table = {};
};

// How a model knows the order of its tokens: a row for each position (or distance back), a column for each
// dimension (or head).
struct PositionTable {
  std::string kind = {};
  NumberTable table = {};
};

struct Candidate {
  std::string token = {};
  double p = 0;
};

// What was written so far, by its last token, and what could have come next, likeliest first.
struct SearchNode {
  int64_t parent = -1;  // -1: nothing is written
  std::string token = {};
  double log_p = 0, score = 0;            // of the token; of all so far
  bool ended = false, on_result = false;  // by </s>; on the way to the result
  std::vector<Candidate> candidates = {};
};

struct Attention {
  std::string model = {}, type = {};     // its name, and the kind of model
  std::string source = {}, target = {};  // as people write them
  bool forced = false;                   // the target was given
  // encoder: both axes are encoder_tokens. decoder: both are decoder_tokens, what the model read before each
  // step. cross: the rows are decoder_outputs, what it wrote in each step, the columns encoder_tokens.
  std::vector<std::string> encoder_tokens = {}, decoder_tokens = {}, decoder_outputs = {};
  std::vector<AttentionLayer> layers = {};
  std::vector<SearchNode> tree = {};  // parents first
  std::vector<Scene> scenes = {};     // among the encoder's tokens
  // For each token that was written which of decoder_outputs it is in, if they are words.
  std::vector<int64_t> output_words = {};

  // More of it, if asked for.
  std::vector<LayerInputs> inputs = {};
  std::vector<LayerStates> states = {};
  std::vector<LayerGates> gates = {};
  std::vector<Gradients> gradients = {};
  std::vector<LayerImportance> importance = {};
  std::vector<std::vector<std::vector<Candidate>>> guesses = {};  // [layer][step]: what it would write there
  PositionTable positions = {};

  // The layer that aligns best, and its head; -1: the mean of all.
  int64_t aligning_layer = -2, aligning_head = -1;

  const std::vector<std::string>& row_labels(AttentionKind kind) const;
  const std::vector<std::string>& column_labels(AttentionKind kind) const;
};

// Chooses one matrix. Defaults: cross, else decoder, else encoder; the layer that aligns best; in it the head
// that aligns best, or else the mean of the heads.
struct AttentionChoice {
  std::optional<AttentionKind> kind = {};
  std::optional<int64_t> layer = {};  // from 0, or from the end: -1, -2, ..
  std::optional<int64_t> head = {};
};

// The layers of a kind, by their numbers; without a kind, those of the default kind.
std::vector<const AttentionLayer*> layers_of(const Attention& attention, std::optional<AttentionKind> kind);

// A UsageError if there is no such layer or head. Without any attention, an empty matrix.
AttentionMatrix choose(const Attention& attention, const AttentionChoice& choice);

// Merges pieces into words: weights are summed over the pieces of the word that is looked at and averaged
// over the pieces of the word that looks.
Attention merged_words(const Attention& attention);

// Which word each piece belongs to: 0, 0, 1, .. A piece with ▁ begins one, a character of a script without
// blanks is one, a symbol such as </s> is one.
std::vector<int64_t> word_numbers(std::span<const std::string> pieces);

}  // namespace attune::view
