// Tasks whose answer is a tag for each word.
#pragma once

#include "models/task.h"

namespace attune {

class TaggingTask : public Task {
 public:
  std::string_view does() const override { return "tags words"; }
  std::string_view verb() const override { return "classify"; }
  TaskColumns columns() const override { return {2, 2}; }
  TargetVocabulary target_vocabulary() const override { return TargetVocabulary::labels; }
  std::vector<std::string> default_metrics() const override { return {"accuracy", "loss"}; }
  bool labels_each_token() const override { return true; }
};

}  // namespace attune
