#include "models/blocks/block_stack.h"

#include "attune/autograd.h"
#include "base/check.h"
#include "nn/close_lens.h"

namespace attune {
namespace {

MultiHeadSizes head_sizes(const BlockConfig& config, const std::string& visibility) {
  return {config.d_model, config.heads,  config.attention,      config.attention_dropout,
          visibility,     config.window, config.shared_heads(), config.edge_kinds};
}

Norm make_norm(const Scope& p, const BlockConfig& config) {
  return {p, config.norm_kind, config.d_model, config.norm_epsilon};
}

Residual residual(const Scope& p, const BlockConfig& config) {
  Residual around{.norm = {}, .place = config.norm, .dropout = config.dropout, .adds = config.residual};
  if (config.norm != NormPlace::none) around.norm = make_norm(p / "norm", config);
  return around;
}

}  // namespace

Block::Block(const Scope& p, const BlockConfig& config, const std::string& cross_visibility)
    : self(p / "self", head_sizes(config, config.visibility)),
      around_self(residual(p / "self", config)),
      feed_forward(p / "feed_forward", config.activation,
                   {config.d_model, config.feed_forward, config.feed_forward_layers},
                   config.activation_dropout),
      around_feed_forward(residual(p / "feed_forward", config)) {
  if (cross_visibility.empty()) return;
  cross.emplace(p / "cross", head_sizes(config, cross_visibility));
  around_cross.emplace(residual(p / "cross", config));
}

StackState StackState::select(std::span<const int64_t> sentences) const {
  check(!memory, "select: this state records gradients, so sentences cannot be selected from it");
  StackState chosen{take_sentences(seen, sentences), {}, {}};
  for (const KeyValues& layer : self) chosen.self.push_back(layer.select(sentences));
  for (const KeyValues& layer : cross) chosen.cross.push_back(layer.select(sentences));
  return chosen;
}

BlockStack::BlockStack(const Scope& p, const BlockConfig& config, Kind kind)
    : kind_(kind),
      dropout_(config.dropout),
      positions_(p / "positions", config.positions,
                 {config.max_positions,
                  config.d_model,
                  config.heads,
                  {config.rotary_base, config.rotary_stretch, config.rotary_trained}},
                 kind.sees.ahead == 0) {
  if (kind_.norm_first) first_.emplace(make_norm(p / "embedding_norm", config));
  for (int64_t i = 0; i < kind_.layers; ++i)
    blocks_.emplace_back(p / ("layer" + std::to_string(i)), config, kind_.cross);
  if (config.ends_with_norm()) last_.emplace(make_norm(p / "norm", config));
}

StackState BlockStack::start(int64_t sentences) const {
  const Rows none = Rows::uniform(sentences, 0);
  return {none, std::vector<KeyValues>(blocks_.size(), {.keys = {}, .values = {}, .rows = none}), {}};
}

StackState BlockStack::start(const Tensor& memory, const Rows& rows) const {
  StackState state = start(rows.count());
  if (recording(memory)) {
    state.memory = memory;
    state.memory_rows = rows;
  } else {
    for (const Block& block : blocks_) state.cross.push_back(block.cross->read(memory, rows));
  }
  return state;
}

Tensor BlockStack::operator()(const Tensor& x, const Rows& rows, StackState& state, Pass& pass) const {
  check(rows.count() == state.seen.count(), "step: tokens for {} sentences were given, but {} were started",
        rows.count(), state.seen.count());
  const Tensor positions = positions_.of(state.seen, rows);
  Tensor h = positions_.added(x, positions);
  if (first_) h = (*first_)(h);
  h = dropout(h, pass.dropout(dropout_));
  CloseLens* const close = CloseLens::of(pass.lens());
  const auto show = [&](int64_t layer) {
    if (close != nullptr) close->state(kind_.name, layer, (last_ ? (*last_)(h) : h).detach());
  };
  show(-1);
  for (size_t i = 0; i < blocks_.size(); ++i) {
    const Block& block = blocks_[i];
    const auto name = [&](AttentionName::Kind kind) {
      return AttentionName{kind_.name, static_cast<int64_t>(i), kind};
    };
    const Tensor remembered = kind_.plain_past && rows.max_length() == 1 ? h : Tensor();
    h = block.around_self(h, pass, [&](const Tensor& in) {
      return block.self(in, {rows, positions, kind_.sees, name(AttentionName::self), remembered, state.edges},
                        positions_, state.self[i], pass);
    });
    if (block.cross)
      h = (*block.around_cross)(h, pass, [&](const Tensor& in) {
        const KeyValues read =
            state.memory ? block.cross->read(state.memory, state.memory_rows) : state.cross[i];
        return (*block.cross)(in, {rows, positions, name(AttentionName::cross)}, read, pass);
      });
    h = block.around_feed_forward(h, pass, [&](const Tensor& in) { return block.feed_forward(in, pass); });
    show(static_cast<int64_t>(i));
  }
  state.seen = joined(state.seen, rows);
  return last_ ? (*last_)(h) : h;
}

}  // namespace attune
