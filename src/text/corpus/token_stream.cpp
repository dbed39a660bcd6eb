#include "text/corpus/token_stream.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/check.h"
#include "base/threads/parallel.h"
#include "text/bytes/temporary_file.h"

namespace attune {
namespace {

constexpr int64_t kAtOnce = 64;  // documents that are tokenised before they are written

std::string_view bytes_of(const TokenIds& ids) {
  return {reinterpret_cast<const char*>(ids.data()), ids.size() * sizeof(int32_t)};
}

}  // namespace

TokenStream::TokenStream(const Corpus& corpus, const Vocabulary& vocabulary, int32_t end, int64_t block)
    : length_(block) {
  check(block > 0, "token stream: a block must have tokens");
  TemporaryFile file;
  int64_t line = 0;
  for (size_t s = 0; s < corpus.sources(); ++s) {
    weights_.push_back(corpus.source(s).weight);
    Begin at = begins_.back();
    for (const int64_t last = line + corpus.source(s).files[0]->lines(); line < last;) {
      const int64_t count = std::min(kAtOnce, last - line);
      std::vector<TokenIds> documents(static_cast<size_t>(count));
      parallel_for(count, 1, [&](int64_t first, int64_t stop) {
        for (int64_t i = first; i < stop; ++i) {
          TokenIds& ids = documents[static_cast<size_t>(i)];
          ids = vocabulary.encode(corpus.column(line + i, 0));
          if (!ids.empty()) ids.push_back(end);
        }
      });
      for (const TokenIds& ids : documents) {
        file.write(bytes_of(ids));
        at.token += static_cast<int64_t>(ids.size());
      }
      line += count;
    }
    at.block += (at.token - begins_.back().token + length_ - 1) / length_;
    begins_.push_back(at);
  }
  file_ = file.finish();
}

TokenIds TokenStream::block(int64_t number) const {
  check(number >= 0 && number < blocks(), "token stream: block {} does not exist; there are {}", number,
        blocks());
  const auto next = std::ranges::upper_bound(begins_, number, {}, &Begin::block);
  const int64_t from = std::prev(next)->token + (number - std::prev(next)->block) * length_;
  TokenIds ids(static_cast<size_t>(std::min(length_, next->token - from)));
  auto* to = reinterpret_cast<char*>(ids.data());
  off_t place = static_cast<off_t>(from) * static_cast<off_t>(sizeof(int32_t));
  for (size_t left = ids.size() * sizeof(int32_t); left > 0;) {
    const ssize_t got = pread(file_.number(), to, left, place);
    if (got < 0 && errno == EINTR) continue;
    check(got > 0, "token stream: its file can no longer be read: {}", std::strerror(errno));
    to += got;
    place += got;
    left -= static_cast<size_t>(got);
  }
  return ids;
}

std::vector<int64_t> TokenStream::epoch(const Random& random) const {
  std::vector<int64_t> numbers;
  for (size_t s = 0; s < weights_.size(); ++s)
    append_weighted(numbers, begins_[s].block, begins_[s + 1].block, weights_[s], random.stream(s));
  return numbers;
}

}  // namespace attune
