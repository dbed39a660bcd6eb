#include "train/gradient_exchange.h"

#include <algorithm>
#include <chrono>

namespace attune {
namespace {

constexpr int64_t kAlignment = 16;  // of parts, as of parameters

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int64_t overlap(const FlatPart& a, const FlatPart& b) {
  return std::max<int64_t>(0, std::min(a.end, b.end) - std::max(a.begin, b.begin));
}

}  // namespace

std::vector<FlatPart> divide(int64_t size, int ranks) {
  std::vector<FlatPart> parts;
  const int64_t blocks = (size + kAlignment - 1) / kAlignment;
  for (int64_t r = 0; r < ranks; ++r)
    parts.push_back({std::min(size, r * blocks / ranks * kAlignment),
                     std::min(size, (r + 1) * blocks / ranks * kAlignment)});
  return parts;
}

GradientExchange::GradientExchange(Parameters& parameters, Ranks& ranks, bool owned, int64_t piece)
    : gradients_(parameters.gradients()),
      ranks_(ranks),
      parts_(divide(parameters.gradients().size(), ranks.size())) {
  if (ranks_.alone()) return;
  // The buffer from its end to its beginning, cut where owners change.
  const int64_t size = gradients_.size();
  std::vector<FlatPart> regions = parts_;
  if (!owned) regions = {{0, size}};
  for (size_t r = regions.size(); r-- > 0;)
    for (int64_t end = regions[r].end; end > regions[r].begin; end = pieces_.back().part.begin)
      pieces_.push_back({.part = {std::max(regions[r].begin, end - piece), end},
                         .owner = owned ? static_cast<int>(r) : Ranks::kAll});
  for (Piece& each : pieces_) {
    for (const auto& entry : parameters.entries())
      if (entry.trained())
        each.numbers += overlap(each.part, {entry.offset, entry.offset + entry.tensor.size()});
    each.open = each.numbers;
  }
}

void GradientExchange::done(std::span<const Tensor> gradients) {
  if (ranks_.alone()) return;
  for (const Tensor& gradient : gradients) {
    const int64_t begin = gradient.data<float>() - gradients_.data<float>();
    for (Piece& piece : pieces_) piece.open -= overlap(piece.part, {begin, begin + gradient.size()});
  }
  send_ready();
}

void GradientExchange::send_ready() {
  for (; sent_ < pieces_.size() && pieces_[sent_].open <= 0; ++sent_) {
    const Piece& piece = pieces_[sent_];
    if (sent_ == 0) begun_ = now();
    ranks_.start_sum(piece.part.of(gradients_).span<float>(), piece.owner);
  }
}

void GradientExchange::finish() {
  if (ranks_.alone()) return;
  const double start = now();
  for (Piece& piece : pieces_) piece.open = 0;
  send_ready();
  ranks_.wait();
  const double end = now();
  seconds_ = {end - begun_, end - start};
  sent_ = 0;
  for (Piece& piece : pieces_) piece.open = piece.numbers;
}

}  // namespace attune
