#include "nn/attention/key_values.h"

#include <algorithm>

#include "attune/autograd.h"
#include "base/check.h"

namespace attune {
namespace {

Tensor numbers(const std::vector<int64_t>& list) {
  const std::vector<int32_t> narrow(list.begin(), list.end());
  return Tensor::of<int32_t>({static_cast<int64_t>(narrow.size())}, narrow);
}

// The selected rows of x, and room for more.
Tensor with_room(const Tensor& x, const std::vector<int64_t>& rows, int64_t capacity) {
  const Tensor larger({capacity, x.columns()}, x.dtype());
  larger.view_rows(0, static_cast<int64_t>(rows.size())).copy_from(take_rows(x, rows));
  return larger;
}

}  // namespace

// Moves the rows in use, each once, to tensors with a quarter more room. Hypotheses of a beam soon have
// common ancestors, so many rows are no longer in use: it pays to compact often.
void KeyValues::make_room(int64_t more) {
  std::vector<int64_t> used;
  if (places) {
    std::vector<int32_t> moved(static_cast<size_t>(keys.rows()), -1);
    const Tensor now(places.shape(), DType::i32);
    for (int64_t i = 0; i < places.size(); ++i) {
      const int32_t place = places.data<int32_t>()[i];
      int32_t& to = moved[static_cast<size_t>(place)];
      if (to < 0) {
        to = static_cast<int32_t>(used.size());
        used.push_back(place);
      }
      now.data<int32_t>()[i] = to;
    }
    places = now;
  } else {
    for (int64_t i = 0; i < rows.total(); ++i) used.push_back(i);
    places = numbers(used);
  }
  taken = std::make_shared<int64_t>(used.size());
  const int64_t capacity = (*taken + 2 * more) * 5 / 4;
  keys = with_room(keys, used, capacity);
  values = with_room(values, used, capacity);
}

void KeyValues::append(const Tensor& more_keys, const Tensor& more_values, const Rows& more) {
  if (rows.total() == 0) {
    *this = {more_keys, more_values, more};
    return;
  }
  check(!recording(keys, more_keys), "step: continued sentences cannot have gradients");
  if (!taken || *taken + more.total() > keys.rows()) make_room(more.total());
  const int64_t first = *taken;
  *taken += more.total();
  keys.view_rows(first, *taken).copy_from(more_keys.detach());
  values.view_rows(first, *taken).copy_from(more_values.detach());
  const Rows all = joined(rows, more);
  const Tensor now({all.total()}, DType::i32);
  int32_t* to = now.data<int32_t>();
  for (int64_t s = 0; s < rows.count(); ++s) {
    to = std::copy_n(places.data<int32_t>() + rows.begin(s), rows.length(s), to);
    for (int64_t t = more.begin(s); t < more.end(s); ++t) *to++ = static_cast<int32_t>(first + t);
  }
  places = now;
  rows = all;
}

KeyValues KeyValues::select(std::span<const int64_t> sentences) const {
  KeyValues chosen = *this;
  std::vector<int64_t> tokens = tokens_of(rows, sentences);
  if (places)
    for (int64_t& token : tokens) token = places.data<int32_t>()[token];
  chosen.rows = take_sentences(rows, sentences);
  chosen.places = numbers(tokens);
  return chosen;
}

}  // namespace attune
