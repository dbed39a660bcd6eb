// TextStream: the text of tokens that arrive one by one, shown as soon as later tokens cannot change it:
// never half a character, and nothing that may become a stop text.
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

  // The text that can be shown now.
  std::string add(int32_t token);
  // The text that was held back, now that nothing follows.
  std::string finish();

  // Whether a stop text came; neither it nor anything after it is shown.
  bool stopped() const { return stopped_; }

 private:
  bool is_whole() const;  // no incomplete character
  void decode();
  std::string show(bool everything);

  const Vocabulary& vocabulary_;
  ForcedBeginning beginning_;
  std::vector<std::string> stops_;
  std::vector<int32_t> tokens_;
  std::string text_;                 // of the decoded tokens
  size_t window_ = 0, decoded_ = 0;  // tokens from window_ on are decoded again with later ones
  size_t window_bytes_ = 0;          // of their text
  size_t shown_ = 0;                 // bytes after the beginning
  bool stopped_ = false;
};

// Gets new text, never empty, as soon as it is written; returns whether to continue.
using ShowText = std::function<bool(const std::string&)>;

// The single output of a greedy search or a sample. It also ends when `show` returns false, or at a stop
// text.
Hypothesis stream_search(const Ensemble& models, const SearchInput& input, const SearchWords& words,
                         const SearchOptions& options, TextStream& text, const ShowText& show);

}  // namespace attune
