#include "models/rnn/rnn_seq2seq.h"

#include <algorithm>
#include <optional>

#include "base/check.h"
#include "config/rules.h"
#include "models/rnn/read_source.h"
#include "models/rnn/reversed_lens.h"
#include "models/rnn/running_sentences.h"

namespace attune {
namespace {

const RegisterModel<RnnConfig, RnnSeq2Seq> registered("rnn");

// Every sentence reversed (Sutskever et al. 2014, 3.3).
Ragged reversed(const Ragged& sentences) {
  const Tensor ids = sentences.ids.clone();
  for (int64_t s = 0; s < sentences.rows.count(); ++s)
    std::ranges::reverse(ids.span<int32_t>().subspan(static_cast<size_t>(sentences.rows.begin(s)),
                                                     static_cast<size_t>(sentences.rows.length(s))));
  return {ids, sentences.rows};
}

// Those before each token: [tokens, h], from the states before all tokens [sentences, h] and after each.
Tensor previous_states(const Tensor& first, const Tensor& after, const Rows& rows) {
  std::vector<int64_t> from;
  for (int64_t s = 0; s < rows.count(); ++s)
    for (int64_t t = rows.begin(s); t < rows.end(s); ++t)
      from.push_back(t == rows.begin(s) ? s : rows.count() + t - 1);
  const Tensor parts[] = {first, after};
  return take_rows(concat_rows(parts), from);
}

}  // namespace

struct RnnSeq2Seq::State final : DecoderState {
  Rows written;  // the number of target tokens of each sentence so far
  ReadSource back;
  Tensor fixed;                    // [sentences, width]: the encoder's last state, if there is no attention
  Tensor fed;                      // [sentences, fed_width]: from the previous step, for input feeding
  std::vector<CellStates> layers;  // [sentences, h]

  std::unique_ptr<DecoderState> select(std::span<const int64_t> sentences) const override {
    auto chosen = std::make_unique<State>();
    chosen->written = take_sentences(written, sentences);
    chosen->back = back.select(sentences);
    if (fixed) chosen->fixed = take_rows(fixed, sentences);
    if (fed) chosen->fed = take_rows(fed, sentences);
    for (const CellStates& layer : layers) chosen->layers.push_back(take_rows(layer, sentences));
    return chosen;
  }

  // The tensors with one row per sentence that change from step to step.
  std::vector<Tensor> sentence_tensors() const {
    std::vector<Tensor> tensors{fed};
    for (const CellStates& layer : layers) tensors.insert(tensors.end(), {layer.h, layer.c});
    return tensors;
  }
  void set_sentence_tensors(const std::vector<Tensor>& tensors) {
    fed = tensors[0];
    for (size_t i = 0; i < layers.size(); ++i) layers[i] = {tensors[1 + 2 * i], tensors[2 + 2 * i]};
  }
};

struct RnnSeq2Seq::Steps {
  Tensor s;      // [tokens, h]
  Tensor c;      // [tokens, width], or undefined
  Tensor query;  // [tokens, h]: the query of c; undefined if it was s, or if no Guide needs it
  Tensor read;   // [tokens, e]: the readout, if the next step needs it
};

RnnSeq2Seq::RnnSeq2Seq(const Scope& p, const RnnConfig& config, const Words& words)
    : config_(config),
      source_(p / "source", words.sources(), config.embedding, config.convolution),
      target_(config.tied_embeddings && !words.vectors
                  ? source_.words()
                  : Embedding(p / "target", words.target, config.embedding)),
      encoder_(p / "encoder", config),
      decoder_(p / "decoder", config.cell, config.decoder_layers, config.embedding + config.fed_width(),
               config.hidden, config.residual),
      score_(config.attends()
                 ? make_score(config.attention, p / "attention",
                              {config.hidden, config.encoder_width(),
                               config.attention_hidden > 0 ? config.attention_hidden : config.hidden})
                 : nullptr),
      visibility_(
          make_visibility(config.visibility, p / "attention" / "visibility", {config.hidden, config.window})),
      readout_(p / "readout", config.readout_width(), config.embedding) {
  require_joint("tied_embeddings", config.tied_embeddings, words);
  require(!config.reverse_source || !words.vectors, "reverse_source", "it is for words, not for vectors");
  if (!config.states_fit())
    for (int64_t i = 0; i < config.decoder_layers; ++i) {
      const Scope layer = p / "bridge" / ("layer" + std::to_string(i));
      bridge_h_.emplace_back(layer / "h", config.encoder_width(), config.hidden);
      if (config.cell == Cell::lstm)
        bridge_c_.emplace_back(layer / "c", config.encoder_width(), config.hidden);
    }
  output_weight_ = config.tied_output
                       ? target_.weight
                       : (p / "output").param("weight", {words.target, config.embedding}, glorot());
  output_bias_ = (p / "output").param("bias", {words.target}, zeros());
}

// The decoder's first states: the encoder's last ones if they fit, otherwise s_0 = tanh(W h) and c_0 = W c of
// the encoder's top layer.
std::unique_ptr<DecoderState> RnnSeq2Seq::start(const Ragged& source, Pass& pass) const {
  const Ragged read = config_.reverse_source ? reversed(source) : source;
  Tensor x = dropout(source_(read), pass.dropout(config_.dropout));
  if (!config_.reverse_source) x = CloseLens::embedded(pass.lens(), AttentionName::encoder, x);
  const RnnEncoder::Result encoded = encoder_(x, read.rows, pass);
  if (CloseLens* const lens = CloseLens::of(pass.lens()); lens != nullptr && !config_.reverse_source)
    lens->state(AttentionName::encoder, config_.encoder_layers - 1, encoded.states.detach());
  auto state = std::make_unique<State>();
  state->back.source = state->back.read = read.rows;
  state->written = Rows::uniform(read.rows.count(), 0);
  const CellStates& top = encoded.finals.back();
  if (bridge_h_.empty()) state->layers = encoded.finals;
  for (size_t i = 0; i < bridge_h_.size(); ++i)
    state->layers.push_back({bridge_h_[i](top.h, Activation::tanh), top.c ? bridge_c_[i](top.c) : Tensor()});
  if (score_) {
    state->back.values = encoded.states;
    state->back.keys = score_->keys(encoded.states);
    if (config_.feeds()) state->fed = Tensor::zeros({read.rows.count(), config_.fed_width()}, x.dtype());
  } else {
    state->fixed = top.h;
  }
  return state;
}

Tensor RnnSeq2Seq::attend(const Tensor& query, const State& state, const Rows& queries,
                          const Tensor& positions, const Pass& pass, Lens* lens) const {
  std::optional<ReversedLens> turned;
  if (lens != nullptr && config_.reverse_source) lens = &turned.emplace(*lens);
  Attending who{.queries = state.back.queries_of_read(queries),
                .keys = state.back.read,
                .positions = positions,
                .lens = lens,
                .name = RnnConfig::kAttention,
                .edits = CloseLens::edits(pass.lens(), RnnConfig::kAttention),
                .reversed = config_.reverse_source};
  visibility_->narrow(who, query);
  return score_->attend(query, state.back.keys, state.back.values, who);
}

// The states do not depend on contexts, so each layer runs over all tokens.
//   without attention:  s_i = f(s_{i-1}, y_{i-1}) or f(s_{i-1}, y_{i-1}, c)
//   luong:              s_i = f(s_{i-1}, y_{i-1});  c_i = sum_j softmax_j(score(s_i, h_j)) h_j
//   previous:           s_i = f(s_{i-1}, y_{i-1});  c_i = sum_j softmax_j(score(s_{i-1}, h_j)) h_j
RnnSeq2Seq::Steps RnnSeq2Seq::all_at_once(const Tensor& y, const Rows& rows, State& state, Pass& pass) const {
  if (score_) {
    const Tensor first = state.layers.back().h;
    const Tensor s = decoder_(y, rows, state.layers, config_.dropout, pass);
    const Tensor query = config_.wiring == Wiring::previous ? previous_states(first, s, rows) : s;
    const Tensor c = attend(query, state, rows, token_positions(state.written, rows), pass, pass.lens());
    return {s, c, query, {}};
  }
  if (config_.fixed_vector == FixedVector::initial)
    return {decoder_(y, rows, state.layers, config_.dropout, pass), {}, {}, {}};
  const Tensor c = take_rows(state.fixed, sentence_of_tokens(rows));
  return {decoder_(concat_columns({y, c}), rows, state.layers, config_.dropout, pass), c, {}, {}};
}

// h~ = tanh(R [..])
Tensor RnnSeq2Seq::read_out(const Tensor& seen, Pass& pass) const {
  return dropout(readout_(seen, Activation::tanh), pass.dropout(config_.dropout));
}

// A state depends on the context of its own step or of the previous one, so the sentences advance one token
// at a time.
//   bahdanau:                  c_i = attend(s_{i-1});  s_i = f(s_{i-1}, y_{i-1}, c_i)
//   luong with input feeding:  s_i = f(s_{i-1}, y_{i-1}, h~_{i-1});  c_i = attend(s_i);
//                              h~_i = tanh(R [c_i; s_i])
RnnSeq2Seq::Steps RnnSeq2Seq::one_by_one(const Tensor& y, const Rows& rows, State& state, Pass& pass) const {
  RunningSentences running(rows, state.sentence_tensors());
  StepwiseLens lens(rows, state.back.source);
  const RecurrentStack decoder = rows.max_length() > 1 ? decoder_.for_steps() : decoder_;
  const auto advance = [&](const Tensor& x, const Rows& one_each) {
    return decoder(x, one_each, state.layers, config_.dropout, pass);
  };
  const bool guided = pass.guide(RnnConfig::kAttention) != nullptr;
  const Tensor positions = token_positions(state.written, rows);
  std::vector<Tensor> states, contexts, looking, readouts;
  for (int64_t t = 0; t < rows.max_length(); ++t) {
    running.keep_those_with_token(t);
    state.set_sentence_tensors(running.tensors());
    const std::vector<int64_t> tokens = running.tokens(t);
    const Tensor y_t = take_rows(y, tokens), positions_t = take_positions(positions, tokens);
    const Rows one_each = Rows::uniform(y_t.rows(), 1), queries = running.queries();
    const auto look = [&](const Tensor& query) {
      return attend(query, state, queries, positions_t, pass, pass.lens() != nullptr ? &lens : nullptr);
    };
    if (config_.wiring == Wiring::bahdanau) {
      if (guided) looking.push_back(state.layers.back().h);
      contexts.push_back(look(state.layers.back().h));
      states.push_back(advance(concat_columns({y_t, contexts.back()}), one_each));
    } else {
      states.push_back(advance(concat_columns({y_t, state.fed}), one_each));
      contexts.push_back(look(states.back()));
      state.fed = contexts.back();
      if (config_.input_feeding == InputFeeding::readout) {
        readouts.push_back(read_out(concat_columns({contexts.back(), states.back()}), pass));
        state.fed = readouts.back();
      }
    }
    running.set_tensors(state.sentence_tensors());
  }
  state.set_sentence_tensors(running.all_tensors());
  if (pass.lens() != nullptr) lens.show(*pass.lens(), RnnConfig::kAttention);
  const auto all = [&](const std::vector<Tensor>& steps) {
    return steps.empty() ? Tensor() : running.in_sentence_order(steps);
  };
  return {all(states), all(contexts), all(looking), all(readouts)};
}

// Recomputes the energies of all tokens, only for the loss: the fused steps do not keep them.
void RnnSeq2Seq::compare(Guide& guide, const Tensor& query, const State& state, const Rows& queries) const {
  const Tensor energy = score_->energy(query, state.back.keys, {.queries = queries, .keys = state.back.read});
  guide.compare(
      energy, config_.reverse_source ? keys_reversed(guide.links, queries, state.back.read, 1) : guide.links,
      queries, state.back.read);
}

// bahdanau: g(y_{i-1}, s_i, c_i) = tanh(R [y; s; c]);  luong, previous: tanh(R [c; s]);
// a fixed first state: tanh(R s)
Tensor RnnSeq2Seq::step(const Ragged& tokens, DecoderState& decoder_state, Pass& pass) const {
  auto& state = dynamic_cast<State&>(decoder_state);
  check(tokens.rows.count() == state.back.source.count(),
        "step: tokens for {} sentences were given, but {} were started", tokens.rows.count(),
        state.back.source.count());
  const Tensor y = CloseLens::embedded(pass.lens(), AttentionName::decoder,
                                       dropout(target_(tokens.ids), pass.dropout(config_.dropout)));
  const bool by_token = config_.attends() && config_.fed_width() > 0;
  const Steps steps =
      by_token ? one_by_one(y, tokens.rows, state, pass) : all_at_once(y, tokens.rows, state, pass);
  state.written = joined(state.written, tokens.rows);
  if (Guide* const guide = pass.guide(RnnConfig::kAttention))
    compare(*guide, steps.query ? steps.query : steps.s, state, tokens.rows);
  if (steps.read) return steps.read;
  const bool apart = config_.attends() && config_.wiring != Wiring::bahdanau;
  const Tensor seen = apart     ? concat_columns({steps.c, steps.s})
                      : steps.c ? concat_columns({y, steps.s, steps.c})
                                : steps.s;
  return read_out(seen, pass);
}

}  // namespace attune
