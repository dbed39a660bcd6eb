// Translating a batch with a Transformer: 32 sentences of 24 words into 24 words each.
#include <fmt/core.h>

#include "bench/bench_case.h"
#include "bench/decoding_model.h"
#include "decode/search/search.h"
#include "tensor/constants.h"
#include "tensor/quantized.h"

namespace attune::bench {
namespace {

double flops_of(const DecodingModel& s, int64_t beam) {
  const double d = static_cast<double>(s.d), ff = static_cast<double>(s.feed_forward), length = kWords,
               layers = static_cast<double>(s.layers), words = static_cast<double>(s.words);
  const double feed_forward = 4 * d * ff, attending = 4 * d * length;
  const double read =
      layers * (8 * d * d + feed_forward + attending + 4 * d * d);  // and keys for the decoder
  const double written = layers * (12 * d * d + feed_forward + 1.5 * attending) + 2 * d * words;
  return kSentences * kWords * (read + static_cast<double>(beam) * written);
}

BenchCase decode(const DecodingModel& size, int64_t beam, bool int8) {
  const auto set_up = [=]() -> Work {
    auto parameters = std::make_shared<Parameters>();
    std::shared_ptr<const Transformer> model = size.make(*parameters);
    if (int8) {
      parameters = std::make_shared<Parameters>(quantized(*parameters));
      model = std::make_shared<Transformer>(Scope(*parameters, Random(1)), size.config(),
                                            Words{size.words, size.words});
    }
    SearchInput input{{Tensor({kSentences * kWords}, DType::i32), Rows::uniform(kSentences, kWords)}};
    for (int64_t i = 0; i < kSentences * kWords; ++i)
      input.source.ids.data<int32_t>()[i] =
          static_cast<int32_t>(Random(2).below(static_cast<uint64_t>(size.words), static_cast<uint64_t>(i)));
    const auto frozen = std::make_shared<Frozen>(*parameters);
    return [=] {
      search(Ensemble(*model), input, {}, {.beam_size = beam, .max_length = kWords});
      (void)parameters, (void)frozen;
    };
  };
  return {.name = fmt::format("decode_{}_beam{}{}", size.name, beam, int8 ? "_int8" : ""),
          .set_up = set_up,
          .flops = flops_of(size, beam)};
}

std::vector<BenchCase> decoding() {
  std::vector<BenchCase> cases;
  for (const bool int8 : {false, true})
    for (const DecodingModel& model : decoding_models())
      for (const int64_t beam : {1, 4}) cases.push_back(decode(model, beam, int8));
  return cases;
}

const RegisterCases registered(decoding);

}  // namespace
}  // namespace attune::bench
