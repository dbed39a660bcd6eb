#include "models/rnn/deep_rnn.h"

#include <cmath>

#include "base/check.h"
#include "models/rnn/read_source.h"
#include "models/rnn/running_sentences.h"
#include "nn/attention/score.h"

namespace attune {
namespace {

const RegisterModel<DeepRnnConfig, DeepRnn> registered("deep_rnn");

CellStack encoder_stack(const Scope& p, const DeepRnnConfig& config) {
  const bool one = config.encoder == EncoderWays::bi_unidirectional;
  return {p,
          config.encoder_shape(),
          {one ? 1 : config.encoder_layers, config.embedding, config.encoder_transitions},
          config.residual};
}

// The mean of each sentence's rows.
Tensor means(const Tensor& x, const Rows& rows) {
  std::vector<double> weights;
  for (int64_t s = 0; s < rows.count(); ++s)
    weights.insert(weights.end(), static_cast<size_t>(rows.length(s)),
                   1 / static_cast<double>(rows.length(s)));
  const Tensor shares = Tensor::of<double>({static_cast<int64_t>(weights.size())}, weights).to(x.dtype());
  return ragged_mix(shares, x, Rows::uniform(rows.count(), 1), rows);
}

}  // namespace

struct DeepRnn::State final : DecoderState {
  ReadSource back;
  std::vector<CellStates> layers;  // [sentences, h]
  Rows written;                    // the number of target tokens of each sentence so far

  std::unique_ptr<DecoderState> select(std::span<const int64_t> sentences) const override {
    auto chosen = std::make_unique<State>();
    chosen->back = back.select(sentences);
    for (const CellStates& layer : layers) chosen->layers.push_back(take_rows(layer, sentences));
    chosen->written = take_sentences(written, sentences);
    return chosen;
  }

  // The tensors with one row per sentence that change from step to step.
  std::vector<Tensor> sentence_tensors() const {
    std::vector<Tensor> tensors;
    for (const CellStates& layer : layers) tensors.insert(tensors.end(), {layer.h, layer.c});
    return tensors;
  }
  void set_sentence_tensors(const std::vector<Tensor>& tensors) {
    for (size_t i = 0; i < layers.size(); ++i) layers[i] = {tensors[2 * i], tensors[2 * i + 1]};
  }
};

DeepRnn::DeepRnn(const Scope& p, const DeepRnnConfig& config, const Words& words)
    : config_(config),
      source_(p / "source", words.source, config.embedding),
      target_(config.tied_embeddings ? source_ : Embedding(p / "target", words.target, config.embedding)),
      forward_(encoder_stack(p / "encoder" / "forward", config)),
      backward_(encoder_stack(p / "encoder" / "backward", config)),
      start_(p / "start", config.encoder_width(), config.hidden, config.whole(config.hidden)),
      query_(p / "attention" / "query", config.hidden, config.encoder_width(),
             config.whole(config.encoder_width())),
      key_(p / "attention" / "key", config.encoder_width(), config.encoder_width(),
           config.whole(config.encoder_width())),
      v_((p / "attention")
             .param("v", {config.encoder_width()},
                    normal(1 / std::sqrt(static_cast<double>(config.encoder_width()))))),
      from_word_(p / "readout" / "word", config.embedding, config.embedding, config.whole(config.embedding)),
      from_state_(p / "readout" / "state", config.hidden, config.embedding, config.whole(config.embedding)),
      from_context_(p / "readout" / "context", config.encoder_width(), config.embedding,
                    config.whole(config.embedding)) {
  require_words("deep_rnn", words);
  require_joint("tied_embeddings", config.tied_embeddings, words);
  if (config.encoder == EncoderWays::bi_unidirectional && config.encoder_layers > 1)
    upper_encoder_.emplace(
        p / "encoder" / "upper", config.encoder_shape(),
        CellStack::Sizes{config.encoder_layers - 1, 2 * config.hidden, config.encoder_transitions},
        config.residual);
  const Scope decoder = p / "decoder";
  for (int64_t i = 0; i < config.decoder_transitions; ++i)
    base_.emplace_back(decoder / "layer0" / ("cell" + std::to_string(i)), config.decoder_shape(),
                       i == 0   ? config.embedding
                       : i == 1 ? config.encoder_width()
                                : 0);
  for (int64_t i = 1; i < config.decoder_layers; ++i)
    upper_.push_back(deep_cell(decoder / ("layer" + std::to_string(i)), config.decoder_shape(), config.hidden,
                               config.upper_transitions));
  output_weight_ = config.tied_output
                       ? target_.weight
                       : (p / "output").param("weight", {words.target, config.embedding}, glorot());
  output_bias_ = (p / "output").param("bias", {words.target}, zeros());
}

Tensor DeepRnn::encode(const Tensor& x, const Rows& rows, Pass& pass) const {
  const bool alternating = config_.encoder == EncoderWays::alternating;
  const Tensor both = concat_columns({forward_(x, rows, {false, alternating}, config_.dropout, pass),
                                      backward_(x, rows, {true, alternating}, config_.dropout, pass)});
  return upper_encoder_ ? (*upper_encoder_)(both, rows, {}, config_.dropout, pass) : both;
}

// s_0 = tanh(W mean_j h_j), for all layers; in an LSTM c_0 is the same.
std::unique_ptr<DecoderState> DeepRnn::start(const Ragged& source, Pass& pass) const {
  const Tensor x = CloseLens::embedded(pass.lens(), AttentionName::encoder,
                                       dropout(source_(source.ids), pass.dropout(config_.dropout)));
  auto state = std::make_unique<State>();
  state->back.source = state->back.read = source.rows;
  state->written = Rows::uniform(source.rows.count(), 0);
  state->back.values = encode(x, source.rows, pass);
  state->back.keys = key_(state->back.values);
  const Tensor first = activate(start_(means(state->back.values, source.rows)), Activation::tanh);
  const bool lstm = config_.decoder_cell == Cell::lstm;
  state->layers.assign(static_cast<size_t>(config_.decoder_layers), {first, lstm ? first : Tensor()});
  return state;
}

// The first layer:  s' = f_1(s, y);  c = sum_j softmax_j(v^T tanh(W s' + U h_j)) h_j;  s'' = f_2(s', c);
// f_3(s'') ..
DeepRnn::Steps DeepRnn::one_step(const Tensor& a, State& state, const Looking& looking, Pass& pass) const {
  CellStates s = base_[0].step(a, state.layers[0]);
  Steps result{{}, {}, query_(s.h)};
  const Attending who{.queries = state.back.queries_of_read(looking.queries),
                      .keys = state.back.read,
                      .positions = looking.positions,
                      .lens = looking.lens,
                      .name = DeepRnnConfig::kAttention,
                      .edits = CloseLens::edits(pass.lens(), DeepRnnConfig::kAttention)};
  result.context =
      who.is_plain()
          ? additive_attention(result.query, state.back.keys, v_, state.back.values, who.queries, who.keys,
                               who.lens, who.name)
          : mixed_by_energy(additive_energy(result.query, state.back.keys, v_, who.queries, who.keys),
                            state.back.values, who);
  for (size_t i = 1; i < base_.size(); ++i)
    s = base_[i].step(base_[i].has_input() ? base_[i].inputs(result.context) : Tensor(), s);
  state.layers[0] = s;
  result.s = s.h;
  for (size_t i = 0; i < upper_.size(); ++i) {
    const Tensor in = dropout(result.s, pass.dropout(config_.dropout));
    CellStates& layer = state.layers[i + 1];
    layer = attune::step(upper_[i], upper_[i][0].inputs(in), layer);
    result.s = config_.residual ? add(layer.h, result.s) : layer.h;
  }
  return result;
}

// The sentences advance together, one token at a time.
DeepRnn::Steps DeepRnn::all_steps(const Tensor& a, const Rows& rows, State& state, Pass& pass) const {
  RunningSentences running(rows, state.sentence_tensors());
  StepwiseLens lens(rows, state.back.source);
  const Tensor positions = token_positions(state.written, rows);
  std::vector<Tensor> states, contexts, queries;
  for (int64_t t = 0; t < rows.max_length(); ++t) {
    running.keep_those_with_token(t);
    state.set_sentence_tensors(running.tensors());
    const std::vector<int64_t> tokens = running.tokens(t);
    const Steps step = one_step(
        take_rows(a, tokens), state,
        {running.queries(), take_positions(positions, tokens), pass.lens() != nullptr ? &lens : nullptr},
        pass);
    states.push_back(step.s);
    contexts.push_back(step.context);
    queries.push_back(step.query);
    running.set_tensors(state.sentence_tensors());
  }
  state.set_sentence_tensors(running.all_tensors());
  if (pass.lens() != nullptr) lens.show(*pass.lens(), DeepRnnConfig::kAttention);
  return {running.in_sentence_order(states), running.in_sentence_order(contexts),
          running.in_sentence_order(queries)};
}

// tanh(R_y y + R_s s + R_c c)
Tensor DeepRnn::step(const Ragged& tokens, DecoderState& decoder_state, Pass& pass) const {
  auto& state = dynamic_cast<State&>(decoder_state);
  check(tokens.rows.count() == state.back.source.count(),
        "step: tokens for {} sentences were given, but {} were started", tokens.rows.count(),
        state.back.source.count());
  const Tensor ids = config_.zero_start ? without_first(tokens, state.written) : tokens.ids;
  const Tensor y = CloseLens::embedded(pass.lens(), AttentionName::decoder,
                                       dropout(target_(ids), pass.dropout(config_.dropout)));
  const Steps steps = all_steps(base_[0].inputs(y), tokens.rows, state, pass);
  state.written = joined(state.written, tokens.rows);
  if (Guide* const guide = pass.guide(DeepRnnConfig::kAttention))
    guide->compare(additive_energy(steps.query, state.back.keys, v_, tokens.rows, state.back.read),
                   tokens.rows, state.back.read);
  const Tensor sum = add(add(from_word_(y), from_state_(steps.s)), from_context_(steps.context));
  return dropout(activate(sum, Activation::tanh), pass.dropout(config_.dropout));
}

}  // namespace attune
