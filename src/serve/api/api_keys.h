// ApiKeys: who may send requests. The file holds SHA-256 sums of keys, never the keys: one per line, in
// hexadecimal, then a name for the log and, optionally, how many requests per minute the key may make:
//   9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 alice 600
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attune::serve {

struct ApiKey {
  std::array<unsigned char, 32> sum;
  std::string name;
  std::optional<int64_t> rate;  // requests per minute
};

class ApiKeys {
 public:
  ApiKeys() = default;  // none: nobody needs one
  // `name` appears in messages. A UsageError for a line that is not as above.
  static ApiKeys parse(std::string_view text, const std::string& name);

  bool needed() const { return !keys_.empty(); }
  // Takes the same time for every key of the same length. Null if there is no such key.
  const ApiKey* find(std::string_view key) const;

 private:
  std::vector<ApiKey> keys_;
};

}  // namespace attune::serve
