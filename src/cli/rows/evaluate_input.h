// The lines of hypotheses and references side by side, a few at a time, so that memory does not grow with the
// files, which may be compressed or in UTF-16.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "metrics/metric.h"
#include "text/corpus/line_stream.h"

namespace attune::cli {

// The same lines of all files.
struct EvaluatedLines {
  size_t first = 0;                         // number of the first, from 0
  std::vector<metrics::Sentences> systems;  // [system][line]
  metrics::References references;
};

class EvaluateInput {
 public:
  // Files, or "-" for stdin.
  EvaluateInput(const std::vector<std::string>& hypotheses, const std::vector<std::string>& references);

  // Nothing at the end. A UsageError if a file is empty, is not UTF-8, or has fewer lines than another.
  std::optional<EvaluatedLines> next();

 private:
  struct File {
    std::string path;
    std::unique_ptr<LineStream> text;
    size_t lines = 0;

    explicit File(const std::string& name);
    metrics::Sentences next(size_t most);
    std::string count();  // "ref.de has 3 lines", once all are read
  };

  std::vector<File> hypotheses_, references_;
};

}  // namespace attune::cli
