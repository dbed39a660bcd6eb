// The numbers of the fields in SentencePiece's sentencepiece_model.proto, which reader and writer share.
#pragma once

#include <cstdint>

namespace attune::sentencepiece_proto {

enum ModelField : uint32_t { kPiece = 1, kTrainer = 2, kNormalizer = 3, kDenormalizer = 5 };
enum PieceField : uint32_t { kText = 1, kScore = 2, kType = 3 };
enum TrainerField : uint32_t {
  kModelType = 3,
  kSize = 4,
  kBlanksBehind = 24,
  kByteFallback = 35,
  kUnknownText = 44,
  kUnk = 45,
  kBos = 46,
  kEos = 47
};
enum RuleField : uint32_t {
  kName = 1,
  kCharacters = 2,
  kBlankFirst = 3,
  kSingleBlanks = 4,
  kEscapedBlanks = 5
};

}  // namespace attune::sentencepiece_proto
