// Marian's `transformer` as attune's.
#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "config/rules.h"
#include "convert/marian/network.h"
#include "convert/matrices.h"
#include "models/blocks/transformer.h"

namespace attune::marian {
namespace {

constexpr double kEpsilon = 1e-6;     // in Marian's norms
constexpr int64_t kPositions = 1024;  // Marian's sines have no limit

// The letters that mean something when translating: without d (dropout).
std::string operations(const Options& options, const std::string& key, const std::string& otherwise = "") {
  std::string letters = options.text(key, otherwise);
  std::erase(letters, 'd');
  return letters;
}

// Where the norms are:  a: add the sublayer's input; n: layer norm; r: RMS norm
struct Norms {
  NormPlace place = NormPlace::post;
  NormKind kind = NormKind::layer;
  bool residual = true, first = false, last = false;

  explicit Norms(const Options& options) {
    const std::string pre = operations(options, "transformer-preprocess"),
                      post = operations(options, "transformer-postprocess", "dan"),
                      embedded = operations(options, "transformer-postprocess-emb", "d"),
                      top = operations(options, "transformer-postprocess-top");
    const char letter = (pre + post).find('r') != std::string::npos ? 'r' : 'n';
    kind = letter == 'r' ? NormKind::rms : NormKind::layer;
    const std::string norm(1, letter);
    place = pre == norm ? NormPlace::pre : post.ends_with(norm) ? NormPlace::post : NormPlace::none;
    residual = post.starts_with('a');
    const std::string expected = std::string(residual ? "a" : "") + (place == NormPlace::post ? norm : "");
    require((pre.empty() || place == NormPlace::pre) && post == expected,
            "transformer-preprocess, transformer-postprocess",
            "attune has a norm after the sum (preprocess '', postprocess dan) or before the sublayer (n, "
            "da), not "
            "'{}' and '{}'",
            options.text("transformer-preprocess"), options.text("transformer-postprocess"));
    require(
        place != NormPlace::pre || !options.before({1, 11, 0}), "transformer-preprocess",
        "before version 1.11, Marian did not normalise keys and values in self-attention, which attune does "
        "not have");
    first = !embedded.empty();
    last = !top.empty();
    for (const auto& [key, value] :
         {std::pair{"transformer-postprocess-emb", embedded}, std::pair{"transformer-postprocess-top", top}})
      require(value.empty() || value == norm, key,
              "attune has a norm of the same kind ({}) or nothing there, not '{}'", norm, options.text(key));
  }
};

FeedForwardKind activation_of(const Options& options) {
  const std::string name = options.text("transformer-ffn-activation", "swish");
  require_word("transformer-ffn-activation", name, {"relu", "gelu", "swish"});
  require(name != "gelu" || !options.before({1, 12, 3}), "transformer-ffn-activation",
          "before version 1.12.3, Marian's gelu was x sigmoid(1.702 x), which attune does not have");
  return name == "relu"   ? FeedForwardKind::relu
         : name == "gelu" ? FeedForwardKind::gelu
                          : FeedForwardKind::swish;
}

class Reader {
 public:
  Reader(Tensors& tensors, const Options& options) : tensors_(tensors), options_(options), norms_(options) {
    const Tying tying = tying_of(options);
    config_.encoder_layers = options.number("enc-depth", 6);
    config_.decoder_layers = options.number("dec-depth", 6);
    config_.d_model = options.number("dim-emb", 512);
    config_.heads = options.number("transformer-heads", 8);
    config_.feed_forward = options.number("transformer-dim-ffn", 2048);
    config_.feed_forward_layers = options.number("transformer-ffn-depth", 2);
    config_.decoder_feed_forward = options.number("transformer-decoder-dim-ffn", 0);
    config_.decoder_feed_forward_layers = options.number("transformer-decoder-ffn-depth", 0);
    config_.activation = activation_of(options);
    config_.norm = norms_.place;
    config_.norm_kind = norms_.kind;
    config_.residual = norms_.residual;
    config_.norm_epsilon = kEpsilon;
    config_.embedding_norm = norms_.first;
    if (norms_.last != (norms_.place == NormPlace::pre))
      config_.final_norm = norms_.last ? FinalNorm::yes : FinalNorm::no;
    config_.tied_embeddings = tying.embeddings;
    config_.tied_output = tying.output;
    config_.zero_start = true;
    config_.step_norm = norms_.place != NormPlace::pre;
    config_.dropout = 0;
    read_positions();
    config_.validate();
  }

  ImportedModel read(const MarianVocabularies& words) {
    add_words(tensors_, options_, words, "decoder_ff_logit_out", weights_);
    add_positions();
    add_stack("encoder", config_.encoder_layers, config_.feed_forward_layers);
    add_stack("decoder", config_.decoder_layers, config_.decoder().feed_forward_layers);
    tensors_.require_all_taken();
    return {config_as("transformer", config_), {words.source.words, words.target.words}, std::move(weights_)};
  }

 private:
  // Learned positions are in the file; embeddings are scaled only if sines are added.
  void read_positions() {
    const bool none = options_.flag("transformer-disable-position-embeddings");
    const bool learned = !none && tensors_.contains("Wpos");
    config_.positions = none      ? PositionKind::none
                        : learned ? PositionKind::learned
                                  : PositionKind::sinusoidal_halves;
    config_.scale_embeddings = !none && !learned;
    config_.max_positions = kPositions;
  }

  void add_positions() {
    if (config_.positions != PositionKind::learned) return;
    const Tensor table = tensors_.matrix("Wpos");  // one for both sides
    config_.max_positions = table.rows();
    weights_["encoder.positions.weight"] = table;
    weights_["decoder.positions.weight"] = table;
  }

  void add_stack(const std::string& stack, int64_t layers, int64_t feed_forward_layers) {
    if (norms_.first) add_norm(stack + ".embedding_norm", stack + "_emb", "_pre");
    const auto tied =
        stack == "decoder" ? options_.list("transformer-tied-layers") : std::vector<std::string>{};
    require(tied.empty() || static_cast<int64_t>(tied.size()) == layers, "transformer-tied-layers",
            "there are {} numbers for {} layers", tied.size(), layers);
    for (int64_t i = 0; i < layers; ++i) {
      const std::string number = tied.empty() ? std::to_string(i + 1) : tied[static_cast<size_t>(i)];
      const std::string ours = fmt::format("{}.layer{}.", stack, i),
                        theirs = fmt::format("{}_l{}_", stack, number);
      add_self(ours + "self", theirs + "self");
      if (stack == "decoder") add_cross(ours + "cross", theirs + "context");
      add_feed_forward(ours + "feed_forward", theirs + "ffn", feed_forward_layers);
    }
    if (norms_.last) add_norm(stack + ".norm", stack + "_top", "");
  }

  void add_self(const std::string& ours, const std::string& theirs) {
    add_linear(ours + ".qkv", theirs, {"q", "k", "v"});
    add_output(ours, theirs);
  }

  void add_cross(const std::string& ours, const std::string& theirs) {
    add_linear(ours + ".q", theirs, {"q"});
    add_linear(ours + ".kv", theirs, {"k", "v"});
    add_output(ours, theirs);
  }

  // Without a projection, it is the identity.
  void add_output(const std::string& ours, const std::string& theirs) {
    if (options_.flag("transformer-no-projection")) {
      const int64_t d = config_.d_model;
      const Tensor identity = Tensor::zeros({d, d});
      for (int64_t i = 0; i < d; ++i) identity.data<float>()[i * d + i] = 1;
      weights_[ours + ".out.weight"] = identity;
      weights_[ours + ".out.bias"] = Tensor::zeros({d});
    } else {
      add_linear(ours + ".out", theirs, {"o"});
    }
    add_sublayer_norm(ours, theirs + "_Wo");
  }

  void add_feed_forward(const std::string& ours, const std::string& theirs, int64_t layers) {
    for (int64_t i = 1; i <= layers; ++i) {
      const std::string name = i == layers ? "out" : i == 1 ? "in" : fmt::format("hidden{}", i - 1);
      add_linear(ours + "." + name, theirs, {std::to_string(i)});
    }
    add_sublayer_norm(ours, theirs + "_ffn");
  }

  // Several of Marian's matrices are one of attune's.
  void add_linear(const std::string& ours, const std::string& theirs, const std::vector<std::string>& parts) {
    std::vector<Tensor> weights, biases;
    for (const std::string& part : parts) {
      weights.push_back(tensors_.transposed(theirs + "_W" + part));
      biases.push_back(tensors_.vector(theirs + "_b" + part));
    }
    weights_[ours + ".weight"] = joined(weights);
    weights_[ours + ".bias"] = joined(biases);
  }

  void add_sublayer_norm(const std::string& ours, const std::string& theirs) {
    if (norms_.place == NormPlace::none) return;
    add_norm(ours + ".norm", theirs, norms_.place == NormPlace::pre ? "_pre" : "");
  }

  void add_norm(const std::string& ours, const std::string& theirs, const std::string& suffix) {
    const bool layer = norms_.kind == NormKind::layer;
    weights_[ours + ".gamma"] = tensors_.vector(theirs + (layer ? "_ln_scale" : "_rms_scale") + suffix);
    if (layer) weights_[ours + ".beta"] = tensors_.vector(theirs + "_ln_bias" + suffix);
  }

  Tensors& tensors_;
  const Options& options_;
  Norms norms_;
  TransformerConfig config_;
  Weights weights_;
};

}  // namespace

ImportedModel read_transformer(Tensors& tensors, const Options& options, const MarianVocabularies& words) {
  return Reader(tensors, options).read(words);
}

}  // namespace attune::marian
