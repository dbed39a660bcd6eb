// Protects against requests that pages from other sites make a browser send. A browser sends what a page asks
// for, even to a server that only this machine can reach; but it says for which page (RFC 6454) and to which
// host name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "serve/http/http_message.h"

namespace attune::serve {

// Whether only this machine can reach an address: 127.0.0.0/8, ::1, or localhost.
bool is_loopback(std::string_view host);

// Whether the Host header of a request names this machine or one of `names`. This stops a page from another
// site whose name suddenly resolves to 127.0.0.1 (DNS rebinding). Requests without a host are let through.
bool names_this_host(const HttpRequest& request, const std::vector<std::string>& names);

// Whether a request that changes or costs something comes from a page of this server, of the origin that
// `cors` names ("*": of any), of a browser's extension, or of no page at all.
bool comes_from_own_page(const HttpRequest& request, std::string_view cors);

}  // namespace attune::serve
