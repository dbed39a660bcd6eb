// Translating with a Transformer: a batch of 32 sentences, or one alone, of 24 words into 24 words each.
#include <fmt/core.h>

#include "bench/bench_case.h"
#include "bench/decoding_model.h"
#include "decode/search/search.h"
#include "tensor/constants.h"
#include "tensor/quantized.h"

namespace attune::bench {
namespace {

enum class Weights { f32, bf16, int8 };

double flops_of(const DecodingModel& s, int64_t sentences, int64_t beam) {
  const double d = static_cast<double>(s.d), ff = static_cast<double>(s.feed_forward), length = kWords,
               layers = static_cast<double>(s.layers), words = static_cast<double>(s.words);
  const double feed_forward = 4 * d * ff, attending = 4 * d * length;
  const double read =
      layers * (8 * d * d + feed_forward + attending + 4 * d * d);  // and keys for the decoder
  const double written = layers * (12 * d * d + feed_forward + 1.5 * attending) + 2 * d * words;
  return static_cast<double>(sentences) * kWords * (read + static_cast<double>(beam) * written);
}

// What to reach: 16 bits halve what is read of large models, 8 bits pay off on any CPU.
double gain_over_f32(const DecodingModel& size, int64_t sentences, Weights weights) {
  if (weights == Weights::int8) return 1.3;
  if (weights == Weights::f32 || size.name != "base") return 0;
  return sentences == 1 ? 1.5 : 1.6;
}

BenchCase decode(const DecodingModel& size, int64_t sentences, int64_t beam, Weights weights) {
  const auto set_up = [=]() -> Work {
    auto parameters = std::make_shared<Parameters>();
    std::shared_ptr<const Transformer> model = size.make(*parameters);
    if (weights != Weights::f32) {
      parameters = std::make_shared<Parameters>(weights == Weights::int8 ? quantized(*parameters)
                                                                         : rounded(*parameters));
      model = std::make_shared<Transformer>(Scope(*parameters, Random(1)), size.config(),
                                            Words{size.words, size.words});
    }
    SearchInput input{{Tensor({sentences * kWords}, DType::i32), Rows::uniform(sentences, kWords)}};
    for (int64_t i = 0; i < sentences * kWords; ++i)
      input.source.ids.data<int32_t>()[i] =
          static_cast<int32_t>(Random(2).below(static_cast<uint64_t>(size.words), static_cast<uint64_t>(i)));
    const auto frozen = std::make_shared<Frozen>(*parameters);
    return [=] {
      search(Ensemble(*model), input, {}, {.beam_size = beam, .max_length = kWords});
      (void)parameters, (void)frozen;
    };
  };
  constexpr const char* kEndings[] = {"", "_bf16", "_int8"};
  const std::string name =
      fmt::format("decode_{}_beam{}{}", size.name, beam, sentences == 1 ? "_single" : "");
  return {.name = name + kEndings[static_cast<size_t>(weights)],
          .set_up = set_up,
          .flops = flops_of(size, sentences, beam),
          .f32 = weights == Weights::f32 ? "" : name,
          .gain = gain_over_f32(size, sentences, weights)};
}

std::vector<BenchCase> decoding() {
  std::vector<BenchCase> cases;
  for (const Weights weights : {Weights::f32, Weights::bf16, Weights::int8})
    for (const DecodingModel& model : decoding_models()) {
      for (const int64_t beam : {1, 4}) cases.push_back(decode(model, kSentences, beam, weights));
      cases.push_back(decode(model, 1, 1, weights));
    }
  return cases;
}

const RegisterCases registered(decoding);

}  // namespace
}  // namespace attune::bench
