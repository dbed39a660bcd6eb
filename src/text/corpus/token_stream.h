// TokenStream: continuous text as tokens, cut into blocks of equal length over the ends of lines and
// documents.
#pragma once

#include <span>
#include <vector>

#include "text/corpus/corpus.h"
#include "text/corpus/example.h"
#include "text/vocabulary/vocabulary.h"

namespace attune {

class TokenStream {
 public:
  // Each line of the corpus is a document, and the token `end` follows it. Documents of a source follow each
  // other; the last block of a source may be shorter. Tokens are kept in an unnamed file in $TMPDIR (4 bytes
  // each), so memory does not grow with the text.
  TokenStream(const Corpus& corpus, const Vocabulary& vocabulary, int32_t end, int64_t block);

  int64_t blocks() const { return begins_.back().block; }
  int64_t tokens() const { return begins_.back().token; }
  TokenIds block(int64_t number) const;  // may be called from several threads
  // The blocks of an epoch, copied as the weights of the sources say.
  std::vector<int64_t> epoch(const Random& random) const;

 private:
  struct Begin {
    int64_t block = 0, token = 0;
  };

  int64_t length_;
  std::vector<double> weights_;
  std::vector<Begin> begins_{{}};  // of each source, and the end
  Descriptor file_;
};

}  // namespace attune
