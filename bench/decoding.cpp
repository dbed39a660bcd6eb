// Translating a batch with a Transformer: 32 sentences of 24 words into 24 words each.
#include <fmt/core.h>

#include "bench/bench_case.h"
#include "decode/search.h"
#include "models/transformer.h"
#include "tensor/constants.h"
#include "tensor/quantized.h"

namespace attune::bench {
namespace {

constexpr int64_t kSentences = 32, kLength = 24;

struct Size {
  std::string name;
  int64_t layers, d, heads, feed_forward, words;
};

double flops_of(const Size& s, int64_t beam) {
  const double d = static_cast<double>(s.d), ff = static_cast<double>(s.feed_forward), length = kLength,
               layers = static_cast<double>(s.layers), words = static_cast<double>(s.words);
  const double feed_forward = 4 * d * ff, attending = 4 * d * length;
  const double read =
      layers * (8 * d * d + feed_forward + attending + 4 * d * d);  // and keys for the decoder
  const double written = layers * (12 * d * d + feed_forward + 1.5 * attending) + 2 * d * words;
  return kSentences * kLength * (read + static_cast<double>(beam) * written);
}

BenchCase decode(const Size& size, int64_t beam, bool int8 = false) {
  const auto set_up = [=]() -> Work {
    TransformerConfig config;
    config.encoder_layers = config.decoder_layers = size.layers;
    config.d_model = size.d;
    config.heads = size.heads;
    config.feed_forward = size.feed_forward;
    const Words words{size.words, size.words};
    auto parameters = std::make_shared<Parameters>();
    auto model = std::make_shared<Transformer>(Scope(*parameters, Random(1)), config, words);
    parameters->at("output.bias").data<float>()[2] = -1e4F;  // </s>: outputs have the maximum length
    if (int8) {
      const auto full = parameters;
      parameters = std::make_shared<Parameters>(quantized(*full));
      model = std::make_shared<Transformer>(Scope(*parameters, Random(1)), config, words);
    }
    SearchInput input{{Tensor({kSentences * kLength}, DType::i32), Rows::uniform(kSentences, kLength)}};
    for (int64_t i = 0; i < kSentences * kLength; ++i)
      input.source.ids.data<int32_t>()[i] =
          static_cast<int32_t>(Random(2).below(static_cast<uint64_t>(size.words), static_cast<uint64_t>(i)));
    const auto frozen = std::make_shared<Frozen>(*parameters);
    return [=] {
      search(Ensemble(*model), input, {}, {.beam_size = beam, .max_length = kLength});
      (void)parameters, (void)frozen;
    };
  };
  return {.name = fmt::format("decode_{}_beam{}{}", size.name, beam, int8 ? "_int8" : ""),
          .set_up = set_up,
          .flops = flops_of(size, beam)};
}

std::vector<BenchCase> decoding() {
  const Size small{"small", 3, 256, 4, 1024, 8000}, base{"base", 6, 512, 8, 2048, 32000};
  return {decode(small, 1),       decode(small, 4),       decode(base, 1),       decode(base, 4),
          decode(small, 1, true), decode(small, 4, true), decode(base, 1, true), decode(base, 4, true)};
}

const RegisterCases registered(decoding);

}  // namespace
}  // namespace attune::bench
