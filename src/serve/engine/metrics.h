// Metrics: what the server counts, in the text format that Prometheus reads.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace attune::serve {

class Metrics {
 public:
  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  // `route` is one of the server's own, never what a client sent.
  void request(const std::string& route, int status, double seconds);
  void batch(size_t sentences, int64_t source_tokens, int64_t target_tokens, double seconds);
  void queue(size_t sentences, int64_t tokens);  // what waits now
  void cache(size_t hits, size_t misses);
  void dropped_line();  // of the log

  std::string text() const;

 private:
  struct Families;
  std::unique_ptr<Families> families_;
};

}  // namespace attune::serve
