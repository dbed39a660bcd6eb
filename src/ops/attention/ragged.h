// The pairs of queries and keys of a ragged batch: for every sentence a matrix [queries, keys], laid end to
// end.
#pragma once

#include <string_view>

#include "attune/rows.h"
#include "base/threads/parallel.h"
#include "ops/shapes.h"

namespace attune {

struct SentencePairs {
  int64_t index;
  int64_t query, queries;  // first row, number of rows
  int64_t key, keys;
  int64_t pair;  // where the matrix [queries, keys] starts
};

class Pairs {
 public:
  Pairs(std::string_view op, const Rows& queries, const Rows& keys) : queries_(queries), keys_(keys) {
    check(queries.count() == keys.count(), "{}: queries for {} sentences were given, but keys for {}", op,
          queries.count(), keys.count());
    starts_.push_back(0);
    for (int64_t s = 0; s < queries.count(); ++s)
      starts_.push_back(starts_.back() + queries.length(s) * keys.length(s));
  }

  int64_t count() const { return queries_.count(); }
  int64_t total() const { return starts_.back(); }
  const Rows& queries() const { return queries_; }
  const Rows& keys() const { return keys_; }
  SentencePairs operator[](int64_t s) const {
    return {s,
            queries_.begin(s),
            queries_.length(s),
            keys_.begin(s),
            keys_.length(s),
            starts_[static_cast<size_t>(s)]};
  }

  // Calls body(sentence) for all sentences, in parallel.
  template <class Body>
  void for_sentences(const Body& body) const {
    parallel_for(count(), 1, [&](int64_t begin, int64_t end) {
      for (int64_t s = begin; s < end; ++s) body((*this)[s]);
    });
  }

  // query [tq, n], key [tk, n], value [tk, e], weights [pairs]
  void check_query(std::string_view op, const Tensor& query) const {
    check_rank(op, "query", query, 2);
    check_shape(op, "query", query, {queries_.total(), query.columns()});
  }
  void check_key(std::string_view op, const Tensor& key, int64_t columns) const {
    check_shape(op, "key", key, {keys_.total(), columns});
  }
  void check_value(std::string_view op, const Tensor& value) const {
    check_rank(op, "value", value, 2);
    check_shape(op, "value", value, {keys_.total(), value.columns()});
  }

 private:
  Rows queries_, keys_;
  std::vector<int64_t> starts_;
};

}  // namespace attune
