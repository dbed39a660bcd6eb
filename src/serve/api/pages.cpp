// The page at /.
#include <fmt/core.h>
#include <openssl/evp.h>
#include <openssl/sha.h>

#include <array>
#include <nlohmann/json.hpp>

#include "serve/api/routes.h"
#include "view/page.h"

namespace attune::serve {
namespace {

using nlohmann::json;

std::string base64_of_sha256(std::string_view text) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> sum{};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), sum.data());
  std::array<unsigned char, 4 * ((SHA256_DIGEST_LENGTH + 2) / 3) + 1> encoded{};
  const int length = EVP_EncodeBlock(encoded.data(), sum.data(), SHA256_DIGEST_LENGTH);
  return {encoded.begin(), encoded.begin() + length};
}

// Only the page's own program may run, and it may talk only to this server.
std::string page_policy() {
  constexpr std::string_view begin = "<script>", end = "</script>";
  const std::string page = view::html_with("");
  const size_t from = page.find(begin) + begin.size();
  const std::string_view program = std::string_view(page).substr(from, page.find(end, from) - from);
  return fmt::format(
      "default-src 'none'; script-src 'sha256-{}'; style-src 'unsafe-inline'; connect-src 'self'; "
      "img-src data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      base64_of_sha256(program));
}

HttpResponse page(Engine& engine, const HttpRequest& /*request*/) {
  if (!view::has_pages())
    throw HttpRefusal(404, "this server was built without its page; GET /spec lists what it offers");
  static const std::string policy = page_policy();
  json runs = json::array();
  for (const RunPlace& run : engine.options().runs) runs.push_back(run.name);
  const json data{
      {"title", ""},
      {"text", ""},
      {"sentences", json::array()},
      {"runs", json::array()},
      {"server",
       {{"runs", runs}, {"keys", engine.options().keys_needed}, {"longest", engine.options().characters}}}};
  return {.content_type = "text/html; charset=utf-8",
          .body = view::html_with(data.dump()),
          .headers = {{"Content-Security-Policy", policy}}};
}

constexpr Route kRoutes[] = {{"GET", "/", true, page}};

}  // namespace

std::span<const Route> page_routes() { return kRoutes; }

}  // namespace attune::serve
