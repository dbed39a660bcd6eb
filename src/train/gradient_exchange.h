// GradientExchange: the gradients of all ranks become their sum, in pieces of the flat buffer. A piece is on
// its way as soon as the backward pass has nothing more to add to it, while the rest is still being computed.
#pragma once

#include <vector>

#include "attune/parameters.h"
#include "ranks/ranks.h"

namespace attune {

// A part of the flat buffers, [begin, end).
struct FlatPart {
  int64_t begin = 0, end = 0;
  int64_t size() const { return end - begin; }
  Tensor of(const Tensor& flat) const { return flat.view_rows(begin, end); }
};

// About as many numbers for every rank, in order.
std::vector<FlatPart> divide(int64_t size, int ranks);

class GradientExchange {
 public:
  static constexpr int64_t kPiece = 1 << 20;  // numbers: 4 MB

  // With `owned`, a rank gets the sum of its own part alone, which takes half as much to send.
  GradientExchange(Parameters& parameters, Ranks& ranks, bool owned, int64_t piece = kPiece);

  const std::vector<FlatPart>& parts() const { return parts_; }
  const FlatPart& own_part() const { return parts_[static_cast<size_t>(ranks_.rank())]; }

  // For backward(): these gradients are done.
  void done(std::span<const Tensor> gradients);
  // Sends what is not yet on its way, and waits for all.
  void finish();

  struct Seconds {
    double under_way = 0;  // from the first piece that was sent to the last that came
    double waiting = 0;    // of them, with nothing else to do
  };
  Seconds seconds() const { return seconds_; }  // of the last exchange

 private:
  struct Piece {
    FlatPart part;
    int owner = Ranks::kAll;
    int64_t numbers = 0;  // of parameters: the buffer has gaps
    int64_t open = 0;     // those that are not done
  };

  void send_ready();

  Tensor gradients_;
  Ranks& ranks_;
  std::vector<FlatPart> parts_;
  std::vector<Piece>
      pieces_;  // in the order in which all ranks send them: the last parameters are done first
  size_t sent_ = 0;
  double begun_ = 0;
  Seconds seconds_;
};

}  // namespace attune
