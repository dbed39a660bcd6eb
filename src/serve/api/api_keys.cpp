#include "serve/api/api_keys.h"

#include <fmt/core.h>
#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <algorithm>
#include <sstream>

#include "attune/error.h"

namespace attune::serve {
namespace {

std::optional<std::array<unsigned char, 32>> parse_sum(const std::string& text) {
  std::array<unsigned char, 32> sum{};
  if (text.size() != 2 * sum.size() || text.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos)
    return {};
  for (size_t i = 0; i < sum.size(); ++i)
    sum[i] = static_cast<unsigned char>(std::stoi(text.substr(2 * i, 2), nullptr, 16));
  return sum;
}

std::optional<int64_t> parse_rate(const std::string& text) {
  if (text.empty() || text.size() > 9 || text.find_first_not_of("0123456789") != std::string::npos) return {};
  return std::stoll(text);
}

}  // namespace

ApiKeys ApiKeys::parse(std::string_view text, const std::string& name) {
  ApiKeys keys;
  std::istringstream lines{std::string(text)};
  std::string line;
  for (int64_t number = 1; std::getline(lines, line); ++number) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string sum, owner, rate, more;
    words >> sum >> owner >> rate >> more;
    if (sum.empty()) continue;
    const auto parsed = parse_sum(sum);
    if (!parsed || owner.empty() || !more.empty() || (!rate.empty() && !parse_rate(rate)))
      throw UsageError(fmt::format(
          "{}:{}: a line should have the SHA-256 sum of a key, a name and, optionally, a number of "
          "requests per minute; `printf %s KEY | sha256sum` gives the sum",
          name, number));
    keys.keys_.push_back({*parsed, owner, parse_rate(rate)});
  }
  if (keys.keys_.empty()) throw UsageError(fmt::format("{}: it contains no key", name));
  return keys;
}

const ApiKey* ApiKeys::find(std::string_view key) const {
  std::array<unsigned char, 32> sum;
  SHA256(reinterpret_cast<const unsigned char*>(key.data()), key.size(), sum.data());
  const ApiKey* found = nullptr;
  for (const ApiKey& each : keys_)
    if (CRYPTO_memcmp(each.sum.data(), sum.data(), sum.size()) == 0) found = &each;
  return found;
}

}  // namespace attune::serve
