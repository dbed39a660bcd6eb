#include "models/read_tokens.h"

#include <algorithm>
#include <cmath>

#include "config/rules.h"
#include "text/vocabulary/several_sources.h"
#include "text/vocabulary/vector_source.h"

namespace attune {
namespace {

constexpr double kLeastDeviation = 1e-5;

// mean and unit of `count` numbers, each `step` after the other from `first`.
void measure(const Tensor& numbers, int64_t first, int64_t step, int64_t count, const Tensor& mean,
             const Tensor& unit) {
  double sum = 0, squares = 0;
  for (int64_t i = 0; i < count; ++i) sum += numbers.data<float>()[first + i * step];
  const double middle = sum / static_cast<double>(count);
  for (int64_t i = 0; i < count; ++i) {
    const double distance = numbers.data<float>()[first + i * step] - middle;
    squares += distance * distance;
  }
  const double deviation = std::sqrt(squares / static_cast<double>(count) + kLeastDeviation);
  for (int64_t i = 0; i < count; ++i) {
    mean.data<float>()[first + i * step] = static_cast<float>(middle);
    unit.data<float>()[first + i * step] = static_cast<float>(deviation);
  }
}

void standardise(ReadNumbers& read, Standardise how) {
  const Tensor& x = read.tokens.vectors;
  const int64_t width = x.columns();
  read.mean = Tensor(x.shape(), x.dtype());
  read.unit = Tensor(x.shape(), x.dtype());
  const Rows& rows = read.tokens.rows;
  for (int64_t s = 0; s < rows.count(); ++s) {
    if (how == Standardise::rows)
      for (int64_t r = rows.begin(s); r < rows.end(s); ++r)
        measure(x, r * width, 1, width, read.mean, read.unit);
    else
      for (int64_t c = 0; c < width; ++c)
        measure(x, rows.begin(s) * width + c, width, rows.length(s), read.mean, read.unit);
  }
  const auto numbers = x.span<float>(), mean = read.mean.span<float>(), unit = read.unit.span<float>();
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = (numbers[i] - mean[i]) / unit[i];
}

// Every token sees itself first, then those that its edges lead to.
std::shared_ptr<const Edges> read_edges(const VectorSource& source, const Ragged& tokens) {
  std::vector<int64_t> lengths;
  std::vector<int32_t> to, kinds;
  for (int64_t s = 0; s < tokens.rows.count(); ++s) {
    const int64_t begin = tokens.rows.begin(s), count = tokens.rows.length(s);
    const auto edges = count > 0 ? source.edges(tokens.ids.data<int32_t>()[begin]) : std::vector<NodeEdge>();
    size_t at = 0;
    for (int64_t node = 0; node < count; ++node) {
      const size_t before = to.size();
      to.push_back(static_cast<int32_t>(begin + node));
      kinds.push_back(0);
      for (; at < edges.size() && edges[at].from == node; ++at) {
        to.push_back(static_cast<int32_t>(begin) + edges[at].to);
        kinds.push_back(edges[at].kind);
      }
      lengths.push_back(static_cast<int64_t>(to.size() - before));
    }
  }
  const auto count = static_cast<int64_t>(to.size());
  return std::make_shared<const Edges>(
      Edges{Rows(lengths), Tensor::of<int32_t>({count}, to), Tensor::of<int32_t>({count}, kinds)});
}

// Where the tokens of a part stand if those of the whole have `places`: a text is a grid of one line, and its
// words are as far apart as units of time.
Tensor places_among(const Ragged& part, Places places) {
  if (part.places) return part.places;
  const int64_t columns = places == Places::grid ? 2 : 1;
  const Tensor all = Tensor::zeros({part.rows.total(), columns});
  for (int64_t s = 0; s < part.rows.count(); ++s)
    for (int64_t t = part.rows.begin(s); t < part.rows.end(s); ++t)
      all.data<float>()[t * columns + columns - 1] = static_cast<float>(t - part.rows.begin(s));
  return all;
}

// Each source by itself, and the tokens of all; places are those in the own source.
Ragged read_several(const Vocabulary& vocabulary, const std::vector<TokenIds>& sentences) {
  Ragged all = ragged(sentences);
  const Places places = places_of(vocabulary);
  std::vector<Tensor> of_parts;
  std::vector<Rows> rows;
  for (size_t i = 0; i < vocabulary.parts().size(); ++i) {
    std::vector<TokenIds> own;
    for (const TokenIds& sentence : sentences) own.push_back(tokens_of_source(vocabulary, sentence, i));
    const Ragged& part = all.parts.emplace_back(read_tokens(*vocabulary.parts()[i], own));
    of_parts.push_back(places_among(part, places));
    rows.push_back(part.rows);
  }
  all.places = take_rows(concat_rows(of_parts), joined_tokens(rows));
  return all;
}

}  // namespace

Tensor raw_numbers(const VectorSource& source, std::span<const int32_t> ids) {
  Tensor numbers({static_cast<int64_t>(ids.size()), source.width()});
  source.read(ids, numbers.span<float>());
  return numbers;
}

Places places_of(const Vocabulary& vocabulary) {
  if (const VectorSource* const source = vocabulary.vectors()) return source->places();
  Places places = Places::index;
  for (const auto& part : vocabulary.parts()) {
    const Places own = places_of(*part);
    if (own == Places::index || own == places) continue;
    require(places == Places::index, "places", "one source has a grid and another has times");
    places = own;
  }
  return places;
}

ReadNumbers read_numbers(const Vocabulary& vocabulary, const std::vector<TokenIds>& sentences) {
  if (vocabulary.several()) return {read_several(vocabulary, sentences), {}, {}};
  ReadNumbers read{ragged(sentences), {}, {}};
  const VectorSource* const source = vocabulary.vectors();
  if (source == nullptr) return read;
  read.tokens.vectors = raw_numbers(*source, read.tokens.ids.span<int32_t>());
  if (source->standardise() != Standardise::no) standardise(read, source->standardise());
  if (source->has_edges()) read.tokens.edges = read_edges(*source, read.tokens);
  if (source->places() != Places::index) {
    read.tokens.places = Tensor({read.tokens.rows.total(), source->places() == Places::grid ? 2 : 1});
    source->read_places(read.tokens.ids.span<int32_t>(), read.tokens.places.span<float>());
  }
  return read;
}

Ragged read_tokens(const Vocabulary& vocabulary, const std::vector<TokenIds>& sentences) {
  return read_numbers(vocabulary, sentences).tokens;
}

}  // namespace attune
