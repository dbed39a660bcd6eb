#include "metrics/answers/label_accuracy.h"

#include <fmt/core.h>

#include <vector>

#include "attune/error.h"
#include "base/readable.h"
#include "metrics/tokenize/unicode.h"

namespace attune::metrics {

Statistics LabelAccuracy::statistics(std::string_view hypothesis,
                                     std::span<const std::string> references) const {
  const std::vector<std::string_view> labels = split(hypothesis), right = split(references[0]);
  if (labels.size() != right.size())
    throw UsageError(fmt::format("accuracy: there {} {}, but {} in the reference",
                                 labels.size() == 1 ? "is" : "are", counted(std::ssize(labels), "label"),
                                 right.size()));
  double same = 0, known = 0;
  for (size_t i = 0; i < labels.size(); ++i) {
    if (right[i] == "_") continue;
    ++known;
    same += labels[i] == right[i] ? 1 : 0;
  }
  return {same, known};
}

}  // namespace attune::metrics
