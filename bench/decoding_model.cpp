#include "bench/decoding_model.h"

#include <fmt/core.h>

#include "convert/convert.h"
#include "text/sentencepiece/writer.h"

namespace attune::bench {
namespace {

constexpr int32_t kBegin = 1, kEnd = 2;  // <s>, </s>

void clear_column(const Tensor& table, int64_t column) {
  for (int64_t r = 0; r < table.rows(); ++r) table.row<float>(r)[static_cast<size_t>(column)] = 0;
}

// One number of every vector is a clock: no layer reads or writes it, the last position alone sets it, and
// </s> is what it points to.
void end_after(int64_t words, const Parameters& parameters) {
  const Tensor& table = parameters.at("source.weight");
  const int64_t clock = table.columns() - 1;
  const auto at = static_cast<size_t>(clock);
  for (const auto& [name, tensor, offset] : parameters.entries())
    if (name.ends_with(".out.weight"))
      tensor.view_rows(clock, clock + 1).fill(0);
    else if (name.ends_with(".weight"))
      clear_column(tensor, clock);
  parameters.at("decoder.positions.weight").row<float>(words - 1)[at] = 1000;
  table.view_rows(kEnd, kEnd + 1).fill(0);
  table.row<float>(kEnd)[at] = 100;
  float* bias = parameters.at("output.bias").data<float>();
  bias[kEnd] = -300;
  bias[kBegin] = -1e4F;  // attune never writes it, others might
}

std::string word_pieces(int64_t words) {
  std::vector<SentencePiece> pieces{
      {"<unk>", 0, PieceType::unknown}, {"<s>", 0, PieceType::control}, {"</s>", 0, PieceType::control}};
  for (int64_t i = 3; i < words; ++i) pieces.push_back({fmt::format("▁w{}", i)});
  return sentencepiece_model(pieces, VocabularyKind::unigram);
}

}  // namespace

TransformerConfig DecodingModel::config() const {
  TransformerConfig config;
  config.encoder_layers = config.decoder_layers = layers;
  config.d_model = d;
  config.heads = heads;
  config.feed_forward = feed_forward;
  config.positions = PositionKind::learned;
  config.norm = NormPlace::pre;  // after every layer a norm would make the clock smaller
  return config;
}

std::unique_ptr<Transformer> DecodingModel::make(Parameters& parameters) const {
  auto model = std::make_unique<Transformer>(Scope(parameters, Random(1)), config(), Words{words, words});
  end_after(kWords, parameters);
  return model;
}

void DecodingModel::save(const std::filesystem::path& folder) const {
  Parameters parameters;
  make(parameters);
  const std::shared_ptr<const Vocabulary> vocabulary = parse_vocabulary(word_pieces(words), name);
  save_model_folder(
      folder, *config_as("transformer", config()), {vocabulary, vocabulary}, parameters, [](Fields&) {},
      [](Fields&) {});
}

const std::vector<DecodingModel>& decoding_models() {
  static const std::vector<DecodingModel> models{
      {"small", 3, 256, 4, 1024, 8000}, {"base", 6, 512, 8, 2048, 32000}, {"opus", 6, 512, 8, 2048, 60000}};
  return models;
}

}  // namespace attune::bench
