#include "attune/seen_attention.h"

#include <fmt/core.h>

#include <algorithm>

#include "attune/error.h"
#include "view/attention_json.h"
#include "view/page.h"
#include "view/svg.h"
#include "view/terminal.h"

namespace attune {
namespace {

view::AttentionMatrix chosen(const view::Attention& seen, const SeenChoice& choice) {
  view::AttentionChoice wanted{.kind = {}, .layer = choice.layer, .head = choice.head};
  if (!choice.kind.empty()) {
    const auto kinds = enum_names(view::AttentionKind{});
    const auto found = std::ranges::find(kinds, choice.kind);
    if (found == kinds.end())
      throw UsageError(fmt::format("kind: there are encoder, decoder and cross, but not '{}'", choice.kind));
    wanted.kind = static_cast<view::AttentionKind>(found - kinds.begin());
  }
  return choose(seen, wanted);
}

}  // namespace

std::string SeenAttention::source() const { return seen_->source; }
std::string SeenAttention::target() const { return seen_->target; }
const std::vector<std::string>& SeenAttention::source_tokens() const { return seen_->encoder_tokens; }
const std::vector<std::string>& SeenAttention::target_tokens() const { return seen_->decoder_tokens; }
const std::vector<std::string>& SeenAttention::output_tokens() const { return seen_->decoder_outputs; }

std::vector<SeenLayer> SeenAttention::layers() const {
  std::vector<SeenLayer> all;
  for (const view::AttentionLayer& layer : seen_->layers)
    all.push_back({.kind = name_of(layer.kind),
                   .number = layer.number,
                   .heads = static_cast<int64_t>(layer.matrices()),
                   .all_heads = !layer.heads.empty(),
                   .queries = static_cast<int64_t>(layer.queries),
                   .keys = static_cast<int64_t>(layer.keys),
                   .weights = layer.weights.data()});
  return all;
}

SeenAttention SeenAttention::words() const {
  return SeenAttention(std::make_shared<const view::Attention>(merged_words(*seen_)));
}

std::string SeenAttention::svg(const SeenChoice& choice) const { return view::svg(chosen(*seen_, choice)); }

std::string SeenAttention::terminal(const SeenChoice& choice) const {
  return terminal_map(chosen(*seen_, choice), view::Colours::none);
}

std::string SeenAttention::json() const { return head_view_json(*seen_); }

std::string SeenAttention::html(const std::string& title) const {
  view::Page page{.title = title, .text = {}, .sentences = {}};
  page.sentences.push_back({.label = {}, .expected = {}, .models = {*seen_}});
  return view::html(page);
}

}  // namespace attune
