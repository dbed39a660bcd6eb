#include "text/sentencepiece/writer.h"

#include <algorithm>

#include "text/sentencepiece/proto_fields.h"

namespace attune {
namespace {

using namespace sentencepiece_proto;

// ---- The wire format of protocol buffers: a field is its number with its type, then a number or bytes.
std::string varint(uint64_t value) {
  std::string bytes;
  for (; value >= 128; value >>= 7U) bytes += static_cast<char>(128U | (value & 127U));
  return bytes + static_cast<char>(value);
}
std::string number_field(uint32_t id, uint64_t value) { return varint(id << 3U) + varint(value); }
std::string text_field(uint32_t id, const std::string& text) {
  return varint(id << 3U | 2U) + varint(text.size()) + text;
}
std::string float_field(uint32_t id, float value) {
  return varint(id << 3U | 5U) + std::string(reinterpret_cast<const char*>(&value), sizeof(value));
}

std::string piece_fields(std::span<const SentencePiece> pieces) {
  std::string fields;
  for (const auto& [text, score, type] : pieces)
    fields += text_field(kPiece, text_field(kText, text) + float_field(kScore, score) +
                                     number_field(kType, static_cast<uint64_t>(type)));
  return fields;
}

uint64_t take_varint(std::string_view& rest) {
  uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(rest.front());
    rest.remove_prefix(1);
    value |= static_cast<uint64_t>(byte & 127U) << shift;
    if (byte < 128) return value;
  }
}

// One field of a message that is known to be whole, with its number and length.
struct WholeField {
  uint32_t id;
  std::string_view all;
};

WholeField take_field(std::string_view& rest) {
  const std::string_view before = rest;
  const uint64_t key = take_varint(rest);
  if (const auto type = key & 7U; type == 0)
    take_varint(rest);
  else
    rest.remove_prefix(static_cast<size_t>(type == 2 ? take_varint(rest) : type == 1 ? 8 : 4));
  return {static_cast<uint32_t>(key >> 3U), before.substr(0, before.size() - rest.size())};
}

}  // namespace

std::string with_pieces(std::string_view model, std::span<const SentencePiece> pieces) {
  std::string changed = piece_fields(pieces);
  while (!model.empty())
    if (const WholeField field = take_field(model); field.id != kPiece) changed += field.all;
  return changed;
}

std::string sentencepiece_model(std::span<const SentencePiece> pieces, VocabularyKind kind) {
  std::string model = piece_fields(pieces);
  const bool bytes =
      std::ranges::any_of(pieces, [](const SentencePiece& piece) { return piece.type == PieceType::byte; });
  model += text_field(kTrainer, number_field(kModelType, static_cast<uint64_t>(kind) + 1) +
                                    number_field(kSize, pieces.size()) + number_field(kByteFallback, bytes));
  return model +
         text_field(kNormalizer, text_field(kName, "identity") + number_field(kBlankFirst, 1) +
                                     number_field(kSingleBlanks, 0) + number_field(kEscapedBlanks, 1));
}

}  // namespace attune
