// Rows: where each sentence of a batch starts. A batch is its sentences laid end to end, without padding.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace attune {

class Rows {
 public:
  Rows() : Rows(std::span<const int64_t>{}) {}
  explicit Rows(std::span<const int64_t> lengths);
  Rows(std::initializer_list<int64_t> lengths) : Rows(std::span(lengths.begin(), lengths.size())) {}

  // `count` sentences of the same length.
  static Rows uniform(int64_t count, int64_t length);

  int64_t count() const { return static_cast<int64_t>(starts_->size()) - 1; }
  int64_t total() const { return starts_->back(); }
  int64_t begin(int64_t sentence) const { return (*starts_)[static_cast<size_t>(sentence)]; }
  int64_t end(int64_t sentence) const { return (*starts_)[static_cast<size_t>(sentence) + 1]; }
  int64_t length(int64_t sentence) const { return end(sentence) - begin(sentence); }
  int64_t max_length() const { return max_length_; }

  // Sentence numbers, longest first; equal lengths keep their order.
  std::vector<int64_t> by_length() const;

  bool operator==(const Rows& other) const { return *starts_ == *other.starts_; }

 private:
  std::shared_ptr<const std::vector<int64_t>> starts_;
  int64_t max_length_ = 0;
};

}  // namespace attune
