// GradientExchange: sums the gradients of all ranks, in pieces of the flat buffer. A piece is sent as soon as
// the backward pass has nothing more to add to it, while the rest is still being computed.
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

// Parts of about the same size, one per rank, in order.
std::vector<FlatPart> divide(int64_t size, int ranks);

class GradientExchange {
 public:
  static constexpr int64_t kPiece = 1 << 20;  // numbers: 4 MB

  // With `owned`, each rank gets only the sum of its own part, which halves the traffic.
  GradientExchange(Parameters& parameters, Ranks& ranks, bool owned, int64_t piece = kPiece);

  const std::vector<FlatPart>& parts() const { return parts_; }
  const FlatPart& own_part() const { return parts_[static_cast<size_t>(ranks_.rank())]; }

  // Called by backward(): these gradients are complete.
  void done(std::span<const Tensor> gradients);
  // Sends the pieces that have not been sent yet, and waits for all of them.
  void finish();

  struct Seconds {
    double under_way = 0;  // from sending the first piece to receiving the last
    double waiting = 0;    // the part of under_way spent idle
  };
  Seconds seconds() const { return seconds_; }  // of the last exchange

 private:
  struct Piece {
    FlatPart part;
    int owner = Ranks::kAll;
    int64_t numbers = 0;  // in parameters: the buffer also has gaps
    int64_t open = 0;     // those whose gradients are not complete
  };

  void send_ready();

  Tensor gradients_;
  Ranks& ranks_;
  std::vector<FlatPart> parts_;
  std::vector<Piece>
      pieces_;  // in the order in which all ranks send them: the last parameters are complete first
  size_t sent_ = 0;
  double begun_ = 0;
  Seconds seconds_;
};

}  // namespace attune
