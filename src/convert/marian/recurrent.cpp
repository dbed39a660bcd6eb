// Marian's `s2s`, `amun` and `nematus` as attune's deep_rnn.
#include <fmt/core.h>

#include <algorithm>

#include "config/rules.h"
#include "convert/marian/network.h"
#include "convert/marian/old_names.h"
#include "convert/matrices.h"
#include "models/rnn/deep_rnn_config.h"

namespace attune::marian {
namespace {

constexpr double kEpsilon = 1e-9, kNematusEpsilon = 1e-5;  // in the norms

// Where the bias of a GRU's n is: beside the input, or beside the state (and so under r).
enum class BiasPlace : uint8_t { input, state };

Cell cell_of(const Options& options, const std::string& key) {
  const std::string name = options.text(key, "gru");
  require_word(key, name, {"gru", "gru-nematus", "lstm"});
  return name == "lstm" ? Cell::lstm : Cell::gru;
}

EncoderWays ways_of(const Options& options) {
  const std::string name = options.text("enc-type", "bidirectional");
  require_word("enc-type", name, {"bidirectional", "alternating", "bi-unidirectional"});
  if (name == "alternating") return EncoderWays::alternating;
  return name == "bidirectional" ? EncoderWays::bidirectional : EncoderWays::bi_unidirectional;
}

CellNorm norm_of(const Options& options) {
  if (!options.flag("layer-normalization")) return CellNorm::none;
  const bool nematus = options.text("type") == "nematus";
  for (const char* key : {"enc-cell", "dec-cell"})
    require(
        (options.text(key, "gru") == "gru-nematus") == nematus, key,
        "with layer-normalization, attune has gru-nematus in the type nematus only, and no other cell there");
  return nematus ? CellNorm::gates : CellNorm::cell;
}

class Reader {
 public:
  Reader(Tensors& tensors, const Options& options) : tensors_(tensors), options_(options) {
    const Tying tying = tying_of(options);
    config_.encoder_cell = cell_of(options, "enc-cell");
    config_.decoder_cell = cell_of(options, "dec-cell");
    config_.embedding = options.number("dim-emb", 512);
    config_.hidden = options.number("dim-rnn", 1024);
    config_.encoder = ways_of(options);
    config_.encoder_layers = options.number("enc-depth", 1);
    config_.decoder_layers = options.number("dec-depth", 1);
    config_.encoder_transitions = options.number("enc-cell-depth", 1);
    config_.decoder_transitions = options.number("dec-cell-base-depth", 2);
    config_.upper_transitions = options.number("dec-cell-high-depth", 1);
    config_.residual = options.flag("skip");
    config_.norm = norm_of(options);
    config_.norm_epsilon = config_.norm == CellNorm::gates ? kNematusEpsilon : kEpsilon;
    config_.tied_embeddings = tying.embeddings;
    config_.tied_output = tying.output;
    config_.zero_start = true;
    config_.dropout = 0;
    config_.validate();
    if (tensors.contains("decoder_c_tt")) use_old_names(tensors, options);
  }

  ImportedModel read(const MarianVocabularies& words) {
    add_words(tensors_, options_, words, "decoder_ff_logit_l2", weights_);
    add_encoder();
    add_dense("start", "decoder_ff_state", "");
    add_attention();
    add_decoder();
    const char* inputs[] = {"word", "state", "context"};
    for (size_t i = 0; i < 3; ++i)
      add_dense(fmt::format("readout.{}", inputs[i]), "decoder_ff_logit_l1", std::to_string(i));
    tensors_.require_all_taken();
    return {config_as("deep_rnn", config_), {words.source.words, words.target.words}, std::move(weights_)};
  }

 private:
  void add_encoder() {
    const bool one = config_.encoder == EncoderWays::bi_unidirectional;
    for (const bool back : {false, true})
      for (int64_t i = 0; i < (one ? 1 : config_.encoder_layers); ++i)
        for (int64_t j = 0; j < config_.encoder_transitions; ++j) {
          std::string theirs = back ? "encoder_bi_r" : "encoder_bi";
          if (i > 0) theirs += fmt::format("_l{}", i + 1);
          if (i > 0 || j > 0) theirs += fmt::format("_cell{}", j + 1);
          add_cell(fmt::format("encoder.{}.layer{}.cell{}", back ? "backward" : "forward", i, j), theirs,
                   config_.encoder_cell, j == 0, BiasPlace::input);
        }
    if (!one) return;
    for (int64_t i = 1; i < config_.encoder_layers; ++i)
      for (int64_t j = 0; j < config_.encoder_transitions; ++j)
        add_cell(fmt::format("encoder.upper.layer{}.cell{}", i - 1, j),
                 fmt::format("encoder_l{}_cell{}", i + 1, j + 1), config_.encoder_cell, j == 0,
                 BiasPlace::input);
  }

  void add_decoder() {
    for (int64_t j = 0; j < config_.decoder_transitions; ++j)
      add_cell(fmt::format("decoder.layer0.cell{}", j), fmt::format("decoder_cell{}", j + 1),
               config_.decoder_cell, j < 2, j == 0 ? BiasPlace::input : BiasPlace::state);
    for (int64_t i = 1; i < config_.decoder_layers; ++i)
      for (int64_t j = 0; j < config_.upper_transitions; ++j)
        add_cell(fmt::format("decoder.layer{}.cell{}", i, j), fmt::format("decoder_l{}_cell{}", i + 1, j + 1),
                 config_.decoder_cell, j == 0, BiasPlace::input);
  }

  // The gates of a cell in attune's order, which for an LSTM begins with i, f instead of f, i.
  static Tensor in_order(const Tensor& gates, Cell cell) {
    if (cell != Cell::lstm) return gates;
    const Tensor ordered = gates.clone();
    const int64_t quarter = gates.size() / 4;
    std::copy_n(gates.data<float>(), quarter, ordered.data<float>() + quarter);
    std::copy_n(gates.data<float>() + quarter, quarter, ordered.data<float>());
    return ordered;
  }

  // A GRU's matrices are in two arrays: for r and z, and (x) for n.
  Tensor gates(const std::string& theirs, const char* part, Cell cell) {
    const std::string name = theirs + "_" + part;
    const bool vector = *part == 'b';
    const auto take = [&](const std::string& from) {
      return vector ? tensors_.vector(from) : tensors_.transposed(from);
    };
    if (cell == Cell::lstm) return in_order(take(name), cell);
    return joined({take(name), take(name + "x")});
  }

  void add_cell(const std::string& ours, const std::string& theirs, Cell cell, bool has_input,
                BiasPlace place) {
    weights_[ours + ".recurrent.weight"] = gates(theirs, "U", cell);
    if (has_input) weights_[ours + ".input.weight"] = gates(theirs, "W", cell);
    const Tensor b = gates(theirs, "b", cell), none = Tensor::zeros(b.shape());
    Tensor input = b, state = none;
    if (place == BiasPlace::state && config_.norm == CellNorm::gates) {
      std::swap(input, state);
    } else if (place == BiasPlace::state && cell == Cell::gru) {
      const int64_t n = b.size() / 3;
      input = joined({b.view_rows(0, 2 * n), Tensor::zeros({n})});
      state = joined({Tensor::zeros({2 * n}), b.view_rows(2 * n, 3 * n)});
    }
    if (!has_input) weights_[ours + ".bias"] = input;
    switch (config_.norm) {
      case CellNorm::none:
        if (has_input) weights_[ours + ".input.bias"] = input;
        weights_[ours + ".recurrent.bias"] = state;
        break;
      case CellNorm::cell:  // the bias comes after the norm
        if (has_input) add_norm(ours + ".input", in_order(tensors_.vector(theirs + "_gamma1"), cell), input);
        add_norm(ours + ".recurrent", in_order(tensors_.vector(theirs + "_gamma2"), cell), state);
        break;
      case CellNorm::gates:  // and here before it
        if (has_input) add_gate_norms(ours + ".input", theirs + "_W", input);
        add_gate_norms(ours + ".recurrent", theirs + "_U", state);
        break;
    }
  }

  // N(x W) with a bias: the norm's beta.
  void add_norm(const std::string& ours, const Tensor& gamma, const Tensor& bias) {
    weights_[ours + ".norm0.gamma"] = gamma;
    weights_[ours + ".norm0.beta"] = bias;
  }

  void add_gate_norms(const std::string& ours, const std::string& theirs, const Tensor& bias) {
    weights_[ours + ".bias"] = bias;
    const char* ends[] = {"", "x"};
    for (size_t i = 0; i < 2; ++i)
      add_scales(fmt::format("{}.norm{}", ours, i), theirs + ends[i] + "_ln", "");
  }

  void add_scales(const std::string& ours, const std::string& theirs, const std::string& number) {
    weights_[ours + ".gamma"] = tensors_.vector(theirs + "s" + number);
    weights_[ours + ".beta"] = tensors_.vector(theirs + "b" + number);
  }

  // A layer that is not a cell; `number` ends the names of its arrays.
  void add_dense(const std::string& ours, const std::string& theirs, const std::string& number) {
    weights_[ours + ".weight"] = tensors_.transposed(theirs + "_W" + number);
    const Tensor bias = tensors_.vector(theirs + "_b" + number);
    if (config_.norm == CellNorm::cell)
      return add_norm(ours, tensors_.vector(theirs + "_gamma" + number), bias);
    weights_[ours + ".bias"] = bias;
    if (config_.norm == CellNorm::gates) add_scales(ours + ".norm0", theirs + "_ln_", number);
  }

  // e = v^T tanh(N(s W) + N(h U + b))
  void add_attention() {
    const std::string query = "attention.query", key = "attention.key";
    weights_[query + ".weight"] = tensors_.transposed("decoder_W_comb_att");
    weights_[key + ".weight"] = tensors_.transposed("decoder_Wc_att");
    const Tensor bias = tensors_.vector("decoder_b_att"), none = Tensor::zeros(bias.shape());
    const Tensor v = tensors_.matrix("decoder_U_att");
    weights_["attention.v"] = v.view({v.size()});
    if (config_.norm == CellNorm::cell) {
      add_norm(query, tensors_.vector("decoder_att_gamma2"), none);
      add_norm(key, tensors_.vector("decoder_att_gamma1"), bias);
      return;
    }
    weights_[query + ".bias"] = none;
    weights_[key + ".bias"] = bias;
    if (config_.norm == CellNorm::none) return;
    add_scales(query + ".norm0", "decoder_W_comb_att_ln", "");
    add_scales(key + ".norm0", "decoder_Wc_att_ln", "");
  }

  Tensors& tensors_;
  const Options& options_;
  DeepRnnConfig config_;
  Weights weights_;
};

}  // namespace

ImportedModel read_recurrent(Tensors& tensors, const Options& options, const MarianVocabularies& words) {
  return Reader(tensors, options).read(words);
}

}  // namespace attune::marian
