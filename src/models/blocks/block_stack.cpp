#include "models/blocks/block_stack.h"

#include "attune/autograd.h"
#include "base/check.h"
#include "config/rules.h"
#include "nn/close_lens.h"
#include "ops/pointwise/elu.h"

namespace attune {
namespace {

MultiHeadSizes head_sizes(const BlockConfig& config, const std::string& visibility) {
  return {.d = config.d_model,
          .heads = config.heads,
          .score = config.attention,
          .dropout = config.attention_dropout,
          .visibility = visibility,
          .window = config.window,
          .key_heads = config.shared_heads(),
          .edge_kinds = config.edge_kinds,
          .head_size = config.head_size,
          .value_size = config.value_size,
          .projections = config.projections};
}

Norm make_norm(const Scope& p, const BlockConfig& config) {
  return {p, config.norm_kind, config.d_model, config.norm_epsilon};
}

Residual residual(const Scope& p, const BlockConfig& config) {
  Residual around{.norm = {}, .place = config.norm, .dropout = config.dropout, .adds = config.residual};
  if (config.norm != NormPlace::none) around.norm = make_norm(p / "norm", config);
  return around;
}

Tensor activated(const Tensor& x, AttentionActivation activation) {
  switch (activation) {
    case AttentionActivation::relu: return activate(x, Activation::relu);
    case AttentionActivation::elu: return elu(x);
    case AttentionActivation::none: break;
  }
  return x;
}

void require_places(const BlockConfig& config, Places places) {
  if (places == Places::index) return;
  const PositionKind kind = config.positions;
  require(kind == PositionKind::none || kind == PositionKind::sinusoidal || kind == PositionKind::learned,
          "places", "'{}' needs positions: sinusoidal, learned or none",
          enum_names(places)[static_cast<size_t>(places)]);
  require(kind != PositionKind::sinusoidal || places != Places::grid || config.d_model % 4 == 0, "places",
          "'grid' needs a d_model that is a multiple of 4, not {}", config.d_model);
}

}  // namespace

Block::Block(const Scope& p, const BlockConfig& config, const std::string& cross_visibility)
    : self(p / "self", head_sizes(config, config.visibility)), around_self(residual(p / "self", config)) {
  if (config.feed_forward > 0) {
    feed_forward.emplace(p / "feed_forward", config.activation,
                         FeedForwardSizes{config.d_model, config.feed_forward, config.feed_forward_layers},
                         config.activation_dropout);
    around_feed_forward.emplace(residual(p / "feed_forward", config));
  }
  if (cross_visibility.empty()) return;
  cross.emplace(p / "cross", head_sizes(config, cross_visibility));
  around_cross.emplace(residual(p / "cross", config));
}

StackState StackState::select(std::span<const int64_t> sentences) const {
  check(!memory, "select: this state records gradients, so sentences cannot be selected from it");
  StackState chosen{take_sentences(seen, sentences), {}, {}, {}};
  for (const KeyValues& layer : self) chosen.self.push_back(layer.select(sentences));
  for (const KeyValues& layer : cross) chosen.cross.push_back(layer.select(sentences));
  for (const Tensor& layer : before) {
    const int64_t each = layer ? layer.rows() / seen.count() : 0;
    chosen.before.push_back(layer ? take_rows(layer, tokens_of(Rows::uniform(seen.count(), each), sentences))
                                  : Tensor());
  }
  return chosen;
}

BlockStack::BlockStack(const Scope& p, const BlockConfig& config, Kind kind)
    : kind_(kind),
      dropout_(config.dropout),
      attention_activation_(config.attention_activation),
      positions_(p / "positions", config.positions,
                 {config.max_positions,
                  config.d_model,
                  config.heads,
                  {config.rotary_base, config.rotary_stretch, config.rotary_trained},
                  kind.places,
                  config.head()},
                 kind.sees.ahead == 0) {
  require_places(config, kind.places);
  if (kind_.norm_first) first_.emplace(make_norm(p / "embedding_norm", config));
  for (int64_t i = 0; i < kind_.layers; ++i)
    blocks_.emplace_back(p / ("layer" + std::to_string(i)), config.of_layer(i, kind_.layers), kind_.cross);
  if (config.ends_with_norm()) last_.emplace(make_norm(p / "norm", config));
}

StackState BlockStack::start(int64_t sentences) const {
  const Rows none = Rows::uniform(sentences, 0);
  return {none,
          std::vector<KeyValues>(blocks_.size(), {.keys = {}, .values = {}, .rows = none}),
          {},
          std::vector<Tensor>(blocks_.size())};
}

StackState BlockStack::start(const Ragged& source) const {
  StackState state = start(source.rows.count());
  state.edges = source.edges;
  state.places = source.places;
  return state;
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
  Tensor h = positions_.added(CloseLens::embedded(pass.lens(), kind_.name, x), positions, state.places);
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
      const Tensor mixed =
          block.self(in, {rows, positions, kind_.sees, name(AttentionName::self), remembered, state.edges},
                     positions_, state.self[i], pass);
      return i + 1 < blocks_.size() ? activated(mixed, attention_activation_) : mixed;
    });
    if (block.cross)
      h = (*block.around_cross)(h, pass, [&](const Tensor& in) {
        const KeyValues read =
            state.memory ? block.cross->read(state.memory, state.memory_rows) : state.cross[i];
        return (*block.cross)(in, {rows, positions, name(AttentionName::cross)}, read, pass);
      });
    if (block.feed_forward)
      h = (*block.around_feed_forward)(h, pass, [&](const Tensor& in) {
        return (*block.feed_forward)(in, {rows, kind_.sees.ahead == 0, state.before[i]}, pass);
      });
    show(static_cast<int64_t>(i));
  }
  state.seen = joined(state.seen, rows);
  return last_ ? (*last_)(h) : h;
}

}  // namespace attune
