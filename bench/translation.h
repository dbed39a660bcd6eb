// Raw text through a model folder, as `attune translate` does it, for bench/decoding.py.
#pragma once

#include <string>
#include <vector>

#include "bench/worker.h"
#include "folder/model_folder.h"

namespace attune::bench {

class Translation {
 public:
  struct Request {
    std::string model;  // its folder
    int64_t beam = 1, batch_words = 2000;
    bool operator==(const Request&) const = default;
  };
  struct Result {
    std::vector<std::string> texts;
    std::vector<int64_t> read, written;  // words of each line, with </s>
  };

  explicit Translation(const Request& request);
  const Request& request() const { return request_; }

  Result all(const std::vector<std::string>& lines) const;
  // Seconds for each line by itself.
  std::vector<double> one_by_one(const std::vector<std::string>& lines, Clock clock) const;

 private:
  Request request_;
  Translator translator_;
};

}  // namespace attune::bench
