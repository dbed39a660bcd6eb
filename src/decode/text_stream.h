// TextStream: the text of tokens that come one after the other, shown as soon as later tokens cannot change
// it: no half of a character, and nothing that may become a stop text.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "decode/search/search.h"
#include "decode/word_choice/spelling.h"
#include "text/vocabulary/vocabulary.h"

namespace attune {

class TextStream {
 public:
  // `beginning` was forced on the tokens and is not shown again; see spelling.h.
  TextStream(const Vocabulary& vocabulary, const std::string& beginning, std::vector<std::string> stops);

  // What can be shown now.
  std::string add(int32_t token);
  // What was held back until it was known that nothing follows.
  std::string finish();

  // Whether a stop text came; it is not shown, nor is anything behind it.
  bool stopped() const { return stopped_; }

 private:
  bool is_whole() const;  // no character is half written
  void decode();
  std::string show(bool everything);

  const Vocabulary& vocabulary_;
  ForcedBeginning beginning_;
  std::vector<std::string> stops_;
  std::vector<int32_t> tokens_;
  std::string text_;                 // of the tokens that are decoded
  size_t window_ = 0, decoded_ = 0;  // tokens window_ .. are decoded once more with those behind them
  size_t window_bytes_ = 0;          // of their text
  size_t shown_ = 0;                 // bytes behind the beginning
  bool stopped_ = false;
};

// Gets new text, never empty, as soon as it is written; says whether to go on.
using ShowText = std::function<bool(const std::string&)>;

// The one output of a greedy search or a sample. It ends too where `show` says so, or at a stop text.
Hypothesis stream_search(const Ensemble& models, const SearchInput& input, const SearchWords& words,
                         const SearchOptions& options, TextStream& text, const ShowText& show);

}  // namespace attune
