// attune as a library: a model of one's own. With one attention it learns to read five signs backwards, and a
// Lens shows where it looks.
#include <attune/autograd.h>
#include <attune/lens.h>
#include <attune/ops.h>
#include <attune/parameters.h>
#include <attune/patience.h>
#include <attune/random.h>
#include <attune/rows.h>
#include <attune/threads.h>
#include <attune/version.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

using namespace attune;

constexpr int64_t kSigns = 8, kLength = 5, kLists = 40, kSize = 16;

// y_i = sum_j softmax_j(q_i . (word_j + place_j) / sqrt(d)) word_j, and p(sign) = softmax(out y_i)
class Backwards {
 public:
  explicit Backwards(const Random& random) {
    uint64_t stream = 0;
    const auto table = [&](const char* name, int64_t rows) {
      return parameters.add(name, {rows, kSize}, [&, r = random.stream(stream++)](const Tensor& tensor) {
        for (uint64_t i = 0; float& x : tensor.span<float>()) x = static_cast<float>(0.3 * r.normal(i++));
      });
    };
    words_ = table("words", kSigns);
    places_ = table("places", kLength);
    queries_ = table("queries", kLength);
    out_ = table("out", kSigns);
  }

  // Of the signs [lists length], and of their order backwards.
  CrossEntropy loss(const Tensor& signs, const Tensor& backwards, const Tensor& places,
                    Lens* lens = nullptr) const {
    const Rows lists = Rows::uniform(signs.size() / kLength, kLength);
    const Tensor words = embedding(words_, signs);               // [tokens, d]
    const Tensor keys = add(words, embedding(places_, places));  // [tokens, d]
    const Tensor seen = attention(embedding(queries_, places), keys, words, lists, lists, {.lens = lens});
    return linear_cross_entropy(seen, out_, {}, backwards);
  }

  Parameters parameters;

 private:
  Tensor words_, places_, queries_, out_;
};

// Keeps the weights [queries, keys] of the first list.
struct FirstList final : Lens {
  void attention(AttentionName, const Tensor& weights, const Rows& queries, const Rows& keys, int) override {
    const auto all = weights.span<float>();
    first.assign(all.begin(), all.begin() + queries.length(0) * keys.length(0));
  }
  std::vector<float> first;
};

int main() {
  std::printf("attune %s\n", version().c_str());
  const ThreadCount one(1);
  const Patience patience(std::chrono::steady_clock::now() +
                          std::chrono::minutes(5));  // or GivenUp is thrown
  const Random random(1);
  Backwards model(random.stream(1));
  const Tensor first = Tensor::zeros(model.parameters.values().shape()), second = first.clone();
  const Tensor signs({kLists * kLength}, DType::i32), backwards = signs.clone(), places = signs.clone();
  FirstList lens;
  for (int64_t step = 1; step <= 300; ++step) {
    Patience::check();
    const Random draw = random.stream(2).stream(static_cast<uint64_t>(step));
    for (int64_t i = 0; i < signs.size(); ++i) {
      const int64_t place = i % kLength;
      const auto sign = static_cast<int32_t>(draw.below(kSigns, static_cast<uint64_t>(i)));
      signs.span<int32_t>()[i] = backwards.span<int32_t>()[i - place + kLength - 1 - place] = sign;
      places.span<int32_t>()[i] = static_cast<int32_t>(place);
    }
    model.parameters.zero_gradients();
    const CrossEntropy found = model.loss(signs, backwards, places, step == 300 ? &lens : nullptr);
    backward(found.loss);
    adam(model.parameters.values(), model.parameters.gradients(), first, second,
         {.learning_rate = 0.02, .gradient_scale = 1.0 / found.counted, .step = step});
    if (step % 100 == 0)
      std::printf("step %d: %d of %d right\n", static_cast<int>(step), static_cast<int>(found.correct),
                  static_cast<int>(found.counted));
  }
  for (int64_t i = 0; i < kLength; ++i) {
    const auto row = lens.first.begin() + i * kLength;
    std::printf("place %d looks at %d\n", static_cast<int>(i),
                static_cast<int>(std::max_element(row, row + kLength) - row));
  }
}
