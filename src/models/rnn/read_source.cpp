#include "models/rnn/read_source.h"

#include <algorithm>

namespace attune {

ReadSource ReadSource::select(std::span<const int64_t> sentences) const {
  ReadSource chosen{take_sentences(source, sentences), read, {}, values, keys};
  for (const int64_t s : sentences)
    chosen.origin.push_back(origin.empty() ? s : origin[static_cast<size_t>(s)]);
  if (std::ranges::is_sorted(chosen.origin)) return chosen;
  const auto tokens = tokens_of(read, chosen.origin);
  if (values) chosen.values = take_rows(values, tokens);
  if (keys) chosen.keys = take_rows(keys, tokens);
  chosen.read = chosen.source;
  chosen.origin.clear();
  return chosen;
}

Rows ReadSource::queries_of_read(const Rows& queries) const {
  if (origin.empty()) return queries;
  std::vector<int64_t> lengths(static_cast<size_t>(read.count()), 0);
  for (size_t s = 0; s < origin.size(); ++s)
    lengths[static_cast<size_t>(origin[s])] += queries.length(static_cast<int64_t>(s));
  return Rows(lengths);
}

}  // namespace attune
