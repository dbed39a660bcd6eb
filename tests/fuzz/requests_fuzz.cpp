// Requests are the same however their bytes come, and nothing is larger than its limit.
#include <cstdint>
#include <cstdlib>

#include "serve/http/request_reader.h"

using namespace attune::serve;

namespace {

constexpr HttpLimits kLimits{.head = 512, .body = 64};

// All that was read, as a text.
std::string read(std::string_view bytes, size_t at_once) {
  RequestReader reader(kLimits);
  std::string seen;
  try {
    for (; !bytes.empty(); bytes.remove_prefix(std::min(at_once, bytes.size()))) {
      reader.add(bytes.substr(0, at_once));
      while (const auto request = reader.next()) {
        if (request->body.size() > kLimits.body) std::abort();
        seen +=
            request->method + " " + request->path + "?" + request->query + (request->keep_alive ? "+" : "-");
        for (const auto& [name, value] : request->headers) seen += name + ":" + value + "\n";
        seen += request->body + "\n";
      }
    }
  } catch (const HttpRefusal& refusal) {
    if (refusal.status < 400 || refusal.status > 505) std::abort();
    seen += "refused";
  }
  return seen;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (read(bytes, 1) != read(bytes, std::max<size_t>(size, 1))) std::abort();
  return 0;
}
