// DerivedVocabulary: another vocabulary's tokens; a class derived from this changes how text becomes them.
#pragma once

#include <utility>

#include "text/vocabulary/vocabulary.h"

namespace attune {

class DerivedVocabulary : public Vocabulary {
 public:
  explicit DerivedVocabulary(std::shared_ptr<const Vocabulary> base) : base_(std::move(base)) {}

  VocabularyKind kind() const override { return base_->kind(); }
  bool is_listed() const override { return base_->is_listed(); }
  int32_t size() const override { return base_->size(); }
  std::vector<int32_t> encode(std::string_view text) const override { return base_->encode(text); }
  std::vector<int32_t> sample(std::string_view text, double rate, const Random& random) const override {
    return base_->sample(text, rate, random);
  }
  std::vector<size_t> begins(std::string_view text) const override { return base_->begins(text); }
  std::string decode(std::span<const int32_t> ids) const override { return base_->decode(ids); }
  std::string piece(int32_t id) const override { return base_->piece(id); }
  std::optional<int32_t> id(std::string_view piece) const override { return base_->id(piece); }
  int32_t unk() const override { return base_->unk(); }
  int32_t bos() const override { return base_->bos(); }
  int32_t eos() const override { return base_->eos(); }
  std::optional<uint8_t> byte(int32_t id) const override { return base_->byte(id); }
  std::string_view fragment(int32_t id) const override { return base_->fragment(id); }
  const VectorSource* vectors() const override { return base_->vectors(); }
  std::span<const std::shared_ptr<const Vocabulary>> parts() const override { return base_->parts(); }
  std::string serialized() const override { return base_->serialized(); }
  const char* file_ending() const override { return base_->file_ending(); }
  std::vector<std::string> pieces(std::string_view text) const override { return base_->pieces(text); }
  std::string join(const std::vector<std::string>& pieces) const override { return base_->join(pieces); }

 protected:
  const Vocabulary& base() const { return *base_; }

 private:
  std::shared_ptr<const Vocabulary> base_;
};

}  // namespace attune
