#include "nn/input_layer.h"

#include "base/check.h"
#include "nn/convolution.h"

namespace attune {

InputLayer::InputLayer(const Scope& p, std::span<const SourceSize> sources, int64_t d, int64_t convolution)
    : convolution_(convolution) {
  for (size_t i = 0; i < sources.size(); ++i) {
    const Scope own = sources.size() == 1 ? p : p / ("source" + std::to_string(i));
    Part& part = parts_.emplace_back();
    if (sources[i].width == 0) {
      part.words.emplace(own, sources[i].words, d);
    } else {
      part.vectors.emplace_back(own, sources[i].width * convolution, d);
      if (convolution > 1) part.vectors.emplace_back(own / "second", d * convolution, d);
    }
  }
  if (sources.size() > 1) which_.emplace(p / "which", static_cast<int64_t>(sources.size()), d);
}

// Words:  E[w].  Rows of numbers:  W x + b, or with a convolution  W2 * gelu(W1 * x + b1) + b2,  where * is
// over a row and its neighbours. If each row is `stacked` rows of the file, the first steps by as many.
Tensor InputLayer::Part::operator()(const Ragged& source, double scale, int64_t convolution) const {
  if (words) return (*words)(source.ids, scale);
  if (convolution == 1) return vectors[0](source.vectors);
  const auto around = [&](const Tensor& x) {
    return neighbours(x, source.rows, convolution, convolution / 2);
  };
  return vectors[1](around(vectors[0](around(source.vectors), Activation::gelu)));
}

Tensor InputLayer::operator()(const Ragged& source, double scale) const {
  if (parts_.size() == 1) return parts_[0](source, scale, convolution_);
  check(source.parts.size() == parts_.size(), "the model reads {} sources, but {} were given", parts_.size(),
        source.parts.size());
  std::vector<Tensor> read;
  std::vector<Rows> rows;
  for (size_t i = 0; i < parts_.size(); ++i) {
    const Ragged& part = source.parts[i];
    const std::vector<int32_t> number(static_cast<size_t>(part.rows.total()), static_cast<int32_t>(i));
    read.push_back(add(parts_[i](part, scale, convolution_),
                       (*which_)(Tensor::of<int32_t>({part.rows.total()}, number))));
    rows.push_back(part.rows);
  }
  return take_rows(concat_rows(read), joined_tokens(rows));
}

}  // namespace attune
