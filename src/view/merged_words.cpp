// Pieces of words as words.
#include <algorithm>
#include <numeric>

#include "text/scripts.h"
#include "text/utf8.h"
#include "view/attention.h"

namespace attune::view {
namespace {

constexpr std::string_view kBlank = "▁";

bool is_symbol(std::string_view piece) {
  return piece.size() > 2 &&
         ((piece.front() == '<' && piece.back() == '>') || (piece.front() == '[' && piece.back() == ']'));
}

// "<0xE4>", or several of them.
bool is_byte(std::string_view piece) {
  return piece.size() % 6 == 0 && piece.starts_with("<0x") && is_symbol(piece);
}

bool begins_alone(std::string_view piece) {
  Utf8Reader reader(piece);
  const auto first = reader.next();
  return first && is_unspaced(first->value);
}

bool begins_word(const std::string& piece, const std::string& before) {
  if (is_byte(piece)) return !is_byte(before) && before != kBlank;
  if (is_symbol(piece) || is_symbol(before)) return true;
  if (before == kBlank) return piece.starts_with(kBlank);
  return piece.starts_with(kBlank) || begins_alone(piece) || begins_alone(before);
}

std::vector<std::string> joined(std::span<const std::string> pieces, std::span<const int64_t> numbers) {
  std::vector<std::string> words(numbers.empty() ? 0 : static_cast<size_t>(numbers.back()) + 1);
  for (size_t i = 0; i < pieces.size(); ++i) words[static_cast<size_t>(numbers[i])] += pieces[i];
  for (std::string& word : words)
    if (word.starts_with(kBlank) && word.size() > kBlank.size()) word.erase(0, kBlank.size());
  return words;
}

AttentionLayer merged(const AttentionLayer& layer, std::span<const int64_t> rows,
                      std::span<const int64_t> columns) {
  AttentionLayer words{layer.kind,
                       layer.number,
                       layer.heads,
                       static_cast<size_t>(rows.back()) + 1,
                       static_cast<size_t>(columns.back()) + 1,
                       {}};
  words.weights.resize(words.matrices() * words.queries * words.keys);
  std::vector<float> pieces(words.queries);  // of each word that looks
  for (const int64_t row : rows) ++pieces[static_cast<size_t>(row)];
  const float* from = layer.weights.data();
  for (size_t m = 0; m < layer.matrices(); ++m)
    for (const int64_t row : rows) {
      const auto q = static_cast<size_t>(row);
      float* to = words.weights.data() + (m * words.queries + q) * words.keys;
      for (const int64_t column : columns) to[column] += *from++ / pieces[q];
    }
  return words;
}

}  // namespace

std::vector<int64_t> word_numbers(std::span<const std::string> pieces) {
  std::vector<int64_t> numbers;
  for (size_t i = 0; i < pieces.size(); ++i)
    numbers.push_back(i == 0 ? 0 : numbers[i - 1] + (begins_word(pieces[i], pieces[i - 1]) ? 1 : 0));
  return numbers;
}

Attention merged_words(const Attention& attention) {
  std::vector<int64_t> encoder = word_numbers(attention.encoder_tokens);
  if (!attention.scenes.empty()) std::iota(encoder.begin(), encoder.end(), 0);  // rows of numbers stay
  const auto decoder = word_numbers(attention.decoder_tokens),
             outputs = word_numbers(attention.decoder_outputs);
  Attention words = attention;
  words.encoder_tokens = joined(attention.encoder_tokens, encoder);
  words.decoder_tokens = joined(attention.decoder_tokens, decoder);
  words.decoder_outputs = joined(attention.decoder_outputs, outputs);
  words.output_words = outputs;
  for (AttentionLayer& layer : words.layers)
    layer = layer.kind == AttentionKind::encoder   ? merged(layer, encoder, encoder)
            : layer.kind == AttentionKind::decoder ? merged(layer, decoder, decoder)
                                                   : merged(layer, outputs, encoder);
  for (auto& [kind, table] : words.gradients) {
    const AttentionLayer pieces{
        .kind = kind, .heads = {0}, .queries = table.rows, .keys = table.columns, .weights = table.numbers};
    const AttentionLayer whole =
        kind == AttentionKind::decoder ? merged(pieces, decoder, decoder) : merged(pieces, outputs, encoder);
    table = {whole.queries, whole.keys, whole.weights};
  }
  return words;
}

}  // namespace attune::view
