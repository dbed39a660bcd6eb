#include "text/vocabulary/sentencepiece_model.h"

#include <fmt/core.h>

#include <cmath>
#include <cstring>
#include <optional>

#include "attune/error.h"
#include "text/utf8.h"

namespace attune {
namespace {

// A field of a protocol buffer message: number and wire type, then a number or bytes.
struct Field {
  uint32_t number, type;
  uint64_t value;          // of types 0, 1 and 5
  std::string_view bytes;  // of type 2
};

enum WireType : uint32_t { kVarint = 0, kEightBytes = 1, kBytes = 2, kFourBytes = 5 };

// The numbers in SentencePiece's sentencepiece_model.proto.
enum ModelField : uint32_t { kPiece = 1, kTrainer = 2, kNormalizer = 3, kDenormalizer = 5 };
enum PieceField : uint32_t { kText = 1, kScore = 2, kType = 3 };
constexpr uint64_t kOrdinary = 1;  // the type of a piece
constexpr uint32_t kModelType = 3, kCharsmap = 2;

class Message {
 public:
  Message(std::string_view bytes, std::string_view file, const std::string& name)
      : rest_(bytes), file_(file), name_(name) {}

  size_t place() const { return static_cast<size_t>(rest_.data() - file_.data()); }

  template <class... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> text, Args&&... args) const {
    throw UsageError(
        fmt::format("{}: byte {}: {}", name_, place(), fmt::format(text, std::forward<Args>(args)...)));
  }

  std::optional<Field> next() {
    if (rest_.empty()) return std::nullopt;
    const uint64_t key = varint();
    Field field{static_cast<uint32_t>(key >> 3), static_cast<uint32_t>(key & 7), 0, {}};
    if (field.number == 0 || key >> 32 != 0)
      refuse("this is not a SentencePiece model, or it is damaged here");
    if (field.type == kVarint)
      field.value = varint();
    else if (field.type == kEightBytes)
      std::memcpy(&field.value, take(8).data(), 8);
    else if (field.type == kFourBytes)
      std::memcpy(&field.value, take(4).data(), 4);
    else if (field.type == kBytes)
      field.bytes = take(varint());
    else
      refuse("this is not a SentencePiece model, or it is damaged here");
    return field;
  }

  Message inside(const Field& field) const {
    if (field.type != kBytes) refuse("field {} should hold bytes", field.number);
    return {field.bytes, file_, name_};
  }

 private:
  uint64_t varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1)[0]);
      value |= static_cast<uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
    refuse("this is not a SentencePiece model, or it is damaged here");
  }

  std::string_view take(uint64_t count) {
    if (count > rest_.size())
      refuse(
          "{} more bytes are needed, but only {} are left; the file was cut off, or is not a SentencePiece "
          "model",
          count, rest_.size());
    const std::string_view taken = rest_.substr(0, static_cast<size_t>(count));
    rest_.remove_prefix(taken.size());
    return taken;
  }

  std::string_view rest_, file_;
  const std::string& name_;
};

void check_piece(Message piece, int64_t number) {
  std::string_view text;
  while (const auto field = piece.next()) {
    if (field->number == kText) {
      text = field->bytes;
      if (field->type != kBytes || find_invalid_utf8(text) || text.find('\0') != std::string_view::npos)
        piece.refuse("piece {} is not text", number);
    }
    if (field->number == kScore) {
      float score = 0;
      std::memcpy(&score, &field->value, sizeof score);
      if (field->type != kFourBytes || !std::isfinite(score))
        piece.refuse("piece {} has no finite score", number);
    }
  }
  if (text.empty()) piece.refuse("piece {} is empty", number);
}

void check_normalizer(Message spec) {
  while (const auto field = spec.next())
    if (field->number == kCharsmap && !field->bytes.empty())
      if (const std::string fault = fault_of_charsmap(field->bytes); !fault.empty())
        spec.refuse("the table for normalising text is damaged: {}", fault);
}

VocabularyKind kind_of(Message trainer) {
  VocabularyKind kind = VocabularyKind::unigram;
  while (const auto field = trainer.next())
    if (field->number == kModelType && field->type == kVarint && field->value >= 1 && field->value <= 4)
      kind = static_cast<VocabularyKind>(field->value - 1);
  return kind;
}

}  // namespace

std::vector<bool> ordinary_pieces(std::string_view content) {
  const std::string name;
  std::vector<bool> ordinary;
  for (Message model(content, content, name); const auto field = model.next();) {
    if (field->number != kPiece) continue;
    ordinary.push_back(true);
    for (Message piece = model.inside(*field); const auto part = piece.next();)
      if (part->number == kType) ordinary.back() = part->value == kOrdinary;
  }
  return ordinary;
}

VocabularyKind check_sentencepiece_model(std::string_view content, const std::string& name) {
  Message model(content, content, name);
  int64_t pieces = 0;
  std::optional<VocabularyKind> kind;
  bool normalizer = false;
  while (const auto field = model.next()) {
    if (field->number == kPiece) check_piece(model.inside(*field), pieces++);
    if (field->number == kTrainer) kind = kind_of(model.inside(*field));
    if (field->number == kNormalizer || field->number == kDenormalizer) {
      check_normalizer(model.inside(*field));
      normalizer = true;
    }
  }
  if (pieces == 0) model.refuse("the file holds no pieces; this is not a SentencePiece model");
  if (!kind || !normalizer) model.refuse("the file ends after {} pieces; it was cut off", pieces);
  return *kind;
}

}  // namespace attune
