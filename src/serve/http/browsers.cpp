#include "serve/http/browsers.h"

#include <arpa/inet.h>

#include <algorithm>

#include "base/ascii.h"

namespace attune::serve {
namespace {

// "name:80" and "[::1]:80" without the port, "[::1]" without its brackets.
std::string name_of(std::string_view host) {
  if (host.starts_with('[')) return ascii_small(host.substr(1, std::min(host.find(']'), host.size()) - 1));
  return ascii_small(host.substr(0, host.find(':')));
}

}  // namespace

bool is_loopback(std::string_view host) {
  const std::string name(host);
  in_addr v4{};
  in6_addr v6{};
  if (inet_pton(AF_INET, name.c_str(), &v4) == 1) return ntohl(v4.s_addr) >> 24 == 127;
  if (inet_pton(AF_INET6, name.c_str(), &v6) == 1) return IN6_IS_ADDR_LOOPBACK(&v6);
  return name == "localhost" || name.ends_with(".localhost");
}

bool names_this_host(const HttpRequest& request, const std::vector<std::string>& names) {
  const std::string_view host = request.header("host");
  const std::string name = name_of(host);
  const auto is_name = [&](const std::string& each) { return name_of(each) == name; };
  return host.empty() || is_loopback(name) || std::ranges::any_of(names, is_name);
}

bool comes_from_own_page(const HttpRequest& request, std::string_view cors) {
  const std::string origin = ascii_small(request.header("origin")),
                    site = ascii_small(request.header("sec-fetch-site"));
  if (cors == "*" || site == "same-origin" || site == "none") return true;
  if (origin.empty()) return site.empty();
  if (origin == ascii_small(cors)) return true;
  const size_t scheme = origin.find("://");
  if (scheme == std::string::npos) return false;  // "null": a page that hides its origin
  if (origin.substr(0, scheme).ends_with("-extension")) return true;
  return origin.substr(scheme + 3) == ascii_small(request.header("host"));
}

}  // namespace attune::serve
