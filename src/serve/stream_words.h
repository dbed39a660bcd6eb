// One text, written word by word: the likeliest each time, or drawn by chance.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "serve/served_model.h"

namespace attune::serve {

struct StreamOptions {
  int64_t most_words = 0;  // 0: as many as the model's search allows
  double temperature = 0;  // 0: always the likeliest
  double top_p = 1;
  int64_t seed = 1;
};

// Calls `word` for each as soon as it is chosen, until that returns false. Whether the text came to its end.
// In the caller's thread, on one core.
bool stream_words(const ServedModel& model, const std::string& text, const StreamOptions& options,
                  const std::function<bool(int32_t)>& word);

// Text as its words come: what is certain to stay. A character of several tokens appears with the last of
// them.
class GrowingText {
 public:
  explicit GrowingText(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {}

  std::string add(int32_t word);  // what it adds to the text
  std::string rest() const;       // what was held back
  int64_t words() const { return static_cast<int64_t>(words_.size()); }

 private:
  const Vocabulary& vocabulary_;
  std::vector<int32_t> words_;
  size_t shown_ = 0;  // bytes
};

}  // namespace attune::serve
