#include "serve/http/listening.h"

#include <fmt/core.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "attune/error.h"

namespace attune::serve {
namespace {

constexpr int kBacklog = 1024;

}  // namespace

Descriptor listen_at(const std::string& host, int port) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (const int code = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found); code != 0)
    throw UsageError(fmt::format("{}: there is no such address: {}", host, gai_strerror(code)));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> addresses(found, freeaddrinfo);
  Descriptor listener(socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int on = 1;
  setsockopt(listener.number(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (!listener || bind(listener.number(), found->ai_addr, found->ai_addrlen) != 0 ||
      listen(listener.number(), kBacklog) != 0) {
    const int code = errno;
    throw UsageError(
        fmt::format("{} port {}: {}{}", host, port, std::strerror(code),
                    code == EADDRINUSE ? "; another program uses it: choose another with --port" : ""));
  }
  return listener;
}

int port_of(const Descriptor& listener) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  getsockname(listener.number(), reinterpret_cast<sockaddr*>(&address), &size);
  // The port is at the same offset for IPv4 and IPv6.
  return ntohs(reinterpret_cast<const sockaddr_in*>(&address)->sin_port);
}

Descriptor accept_from(const Descriptor& listener, std::string& address) {
  sockaddr_storage peer{};
  socklen_t size = sizeof peer;
  Descriptor client(
      accept4(listener.number(), reinterpret_cast<sockaddr*>(&peer), &size, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!client) return client;
  char text[NI_MAXHOST] = "?";
  const int code = errno;
  getnameinfo(reinterpret_cast<const sockaddr*>(&peer), size, text, sizeof text, nullptr, 0, NI_NUMERICHOST);
  errno = code;
  address = text;
  const int on = 1;
  setsockopt(client.number(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return client;
}

}  // namespace attune::serve
