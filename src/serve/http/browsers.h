// What a browser may be made to ask by pages of others. It sends what it is told to, also to a server that
// only this machine can reach; but it says for which page (RFC 6454), and which name it was told to ask.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "serve/http/http_message.h"

namespace attune::serve {

// Whether an address is of this machine alone: 127.0.0.0/8, ::1, or localhost.
bool is_loopback(std::string_view host);

// Whether the Host header of a request names this machine, or one of `names`. A page elsewhere whose name
// suddenly stands for 127.0.0.1 (DNS rebinding) does not get through. Programs that say no host may ask.
bool names_this_host(const HttpRequest& request, const std::vector<std::string>& names);

// Whether a request that changes or costs something comes from a page of this server, of the origin that
// `cors` names ("*": of any), of a browser's extension, or of no page at all.
bool comes_from_own_page(const HttpRequest& request, std::string_view cors);

}  // namespace attune::serve
