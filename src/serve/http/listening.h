// Sockets that wait for clients.
#pragma once

#include <string>

#include "base/descriptor.h"

namespace attune::serve {

// A UsageError says why an address cannot be used.
Descriptor listen_at(const std::string& host, int port);
int port_of(const Descriptor& listener);

// The next client, without blocking; nothing if there is none. Sets `address` to that of the client.
Descriptor accept_from(const Descriptor& listener, std::string& address);

}  // namespace attune::serve
