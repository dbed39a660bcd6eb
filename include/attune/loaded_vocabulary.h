// LoadedVocabulary: text to tokens and back.
//
//   const attune::LoadedVocabulary words("runs/en-de/vocab.spm");
//   std::vector<std::string> pieces = words.pieces("Good morning.");
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace attune {

class Vocabulary;

// How a vocabulary is learned from text; the rest is as `attune vocab` has it.
struct VocabularyLearning {
  std::string kind = "unigram";  // unigram, bpe, word, char, byte
  int64_t size = 8000;
  std::vector<std::string> user_symbols = {};  // never split
};

// Copies share one vocabulary, which any number of threads may use at the same time.
class LoadedVocabulary {
 public:
  // A file that `attune vocab` or `attune train` made, a SentencePiece model, or a Hugging Face tokenizer.
  explicit LoadedVocabulary(const std::filesystem::path& file);
  static LoadedVocabulary learn(std::span<const std::string> lines, const VocabularyLearning& options = {});

  std::string kind() const;
  int64_t size() const;

  std::vector<int32_t> encode(const std::string& text) const;
  std::string decode(std::span<const int32_t> ids) const;  // an id that does not exist is an Error
  std::vector<std::string> pieces(const std::string& text) const;
  std::string join(const std::vector<std::string>& pieces) const;

  std::string piece(int32_t id) const;
  std::optional<int32_t> id(const std::string& piece) const;
  int32_t unk() const;
  int32_t bos() const;
  int32_t eos() const;

  void save(const std::filesystem::path& file) const;

 private:
  explicit LoadedVocabulary(std::shared_ptr<const Vocabulary> vocabulary);

  std::shared_ptr<const Vocabulary> vocabulary_;
};

}  // namespace attune
