#include "text/sentencepiece/model.h"

#include <fmt/core.h>

#include <cmath>
#include <cstring>
#include <optional>
#include <unordered_set>

#include "attune/error.h"
#include "base/ascii.h"
#include "text/sentencepiece/character_table.h"
#include "text/sentencepiece/proto_fields.h"
#include "text/utf8.h"

namespace attune {
namespace {

using namespace sentencepiece_proto;

// A field of a protocol buffer message: number and wire type, then a number or bytes.
struct Field {
  uint32_t number, type;
  uint64_t value;          // of types 0, 1 and 5
  std::string_view bytes;  // of type 2
};

enum WireType : uint32_t { kVarint = 0, kEightBytes = 1, kBytes = 2, kFourBytes = 5 };

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

SentencePiece read_piece(Message message, size_t number) {
  SentencePiece piece;
  while (const auto field = message.next()) {
    if (field->number == kText) {
      piece.text = field->bytes;
      if (field->type != kBytes || find_invalid_utf8(piece.text) ||
          piece.text.find('\0') != std::string::npos)
        message.refuse("piece {} is not text", number);
    }
    if (field->number == kScore) {
      std::memcpy(&piece.score, &field->value, sizeof piece.score);
      if (field->type != kFourBytes || !std::isfinite(piece.score))
        message.refuse("piece {} has no finite score", number);
    }
    if (field->number == kType) {
      if (field->type != kVarint || field->value < 1 || field->value > 6)
        message.refuse("piece {} has the type {}, which SentencePiece does not know", number, field->value);
      piece.type = static_cast<PieceType>(field->value);
    }
  }
  if (piece.text.empty()) message.refuse("piece {} is empty", number);
  return piece;
}

PieceRules read_rules(Message message) {
  PieceRules rules;
  while (const auto field = message.next()) {
    if (field->number == kCharacters && !field->bytes.empty()) {
      if (const std::string fault = fault_of_character_table(field->bytes); !fault.empty())
        message.refuse("the table for normalising text is damaged: {}", fault);
      rules.characters = field->bytes;
    }
    if (field->number == kBlankFirst) rules.blank_first = field->value != 0;
    if (field->number == kSingleBlanks) rules.single_blanks = field->value != 0;
    if (field->number == kEscapedBlanks) rules.escaped_blanks = field->value != 0;
  }
  return rules;
}

void read_trainer(Message message, SentencePieceModel& model) {
  const auto text = [&](const Field& field, std::string& into) {
    if (field.type != kBytes || find_invalid_utf8(field.bytes))
      message.refuse("field {} is not text", field.number);
    if (!field.bytes.empty()) into = field.bytes;
  };
  while (const auto field = message.next()) {
    if (field->number == kModelType && field->type == kVarint && field->value >= 1 && field->value <= 4)
      model.kind = static_cast<VocabularyKind>(field->value - 1);
    if (field->number == kBlanksBehind) model.blanks_behind = field->value != 0;
    if (field->number == kByteFallback) model.byte_fallback = field->value != 0;
    if (field->number == kUnk) text(*field, model.unk);
    if (field->number == kBos) text(*field, model.bos);
    if (field->number == kEos) text(*field, model.eos);
    if (field->number == kUnknownText) {
      text(*field, model.unknown_text);
      model.unknown_text = field->bytes;  // may be empty
    }
  }
}

// "<0xE4>"
bool names_a_byte(std::string_view text) {
  const auto digit = [](char c) { return is_ascii_digit(c) || is_between(c, 'A', 'F'); };
  return text.size() == 6 && text.starts_with("<0x") && digit(text[3]) && digit(text[4]) && text[5] == '>';
}

void check_pieces(const SentencePieceModel& model, const std::string& name) {
  std::unordered_set<std::string_view> seen;
  int unknown = 0, bytes = 0;
  for (const SentencePiece& piece : model.pieces) {
    if (!seen.insert(piece.text).second)
      throw UsageError(fmt::format("{}: the piece '{}' stands there twice", name, piece.text));
    unknown += piece.type == PieceType::unknown;
    if (piece.type != PieceType::byte) continue;
    ++bytes;
    if (!names_a_byte(piece.text))
      throw UsageError(
          fmt::format("{}: the piece '{}' should name a byte, such as <0xE4>", name, piece.text));
    if (!model.byte_fallback)
      throw UsageError(
          fmt::format("{}: there is a piece for a byte, '{}', in a model that does not split into bytes",
                      name, piece.text));
  }
  if (unknown != 1)
    throw UsageError(
        fmt::format("{}: {} pieces stand for what is unknown, but there must be one", name, unknown));
  if (model.byte_fallback && bytes != 256)
    throw UsageError(fmt::format("{}: there are pieces for {} bytes, but there must be 256", name, bytes));
}

}  // namespace

SentencePieceModel read_sentencepiece_model(std::string_view content, const std::string& name) {
  Message message(content, content, name);
  SentencePieceModel model;
  bool trainer = false, rules = false;
  while (const auto field = message.next()) {
    if (field->number == kPiece)
      model.pieces.push_back(read_piece(message.inside(*field), model.pieces.size()));
    if (field->number == kTrainer) {
      read_trainer(message.inside(*field), model);
      trainer = true;
    }
    if (field->number == kNormalizer || field->number == kDenormalizer) {
      (field->number == kNormalizer ? model.before : model.after) = read_rules(message.inside(*field));
      rules = true;
    }
  }
  if (model.pieces.empty()) message.refuse("the file holds no pieces; this is not a SentencePiece model");
  if (!trainer || !rules)
    message.refuse("the file ends after {} pieces; it was cut off", model.pieces.size());
  check_pieces(model, name);
  return model;
}

}  // namespace attune
