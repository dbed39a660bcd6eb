#include "ranks/peer_watch.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <random>
#include <sstream>
#include <utility>

#include "attune/error.h"

namespace attune {
namespace {

enum Kind : int64_t { kHello, kNumber, kFailure };

constexpr int kConnectSeconds = 30;

[[noreturn]] void fail_with(const char* what) {
  throw Error(fmt::format("the ranks of this job cannot be connected: {}: {}", what, std::strerror(errno)));
}

// A host that does not answer for 5 + 3 x 2 seconds counts as gone.
void prepare(const Descriptor& socket) {
  const auto set = [&](int level, int option, int value) {
    setsockopt(socket.number(), level, option, &value, sizeof(value));
  };
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 5);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 2);
  set(IPPROTO_TCP, TCP_KEEPCNT, 3);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, 11'000);
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  const timeval patience{5, 0};  // for the rest of a frame that has begun to arrive
  setsockopt(socket.number(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
}

Descriptor new_socket() {
  Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket) fail_with("socket");
  return socket;
}

// The addresses of this host, with the loopback address last: only ranks on the same host can use that one.
std::vector<std::string> own_addresses() {
  std::vector<std::string> addresses;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return {"127.0.0.1"};
  for (const ifaddrs* each = list; each != nullptr; each = each->ifa_next) {
    if (each->ifa_addr == nullptr || each->ifa_addr->sa_family != AF_INET) continue;
    char text[INET_ADDRSTRLEN] = {};
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(each->ifa_addr)->sin_addr, text, sizeof(text));
    if (std::strncmp(text, "127.", 4) != 0) addresses.emplace_back(text);
  }
  freeifaddrs(list);
  addresses.emplace_back("127.0.0.1");
  return addresses;
}

bool connect_within(const Descriptor& socket, const sockaddr_in& address, int milliseconds) {
  const int flags = fcntl(socket.number(), F_GETFL);
  fcntl(socket.number(), F_SETFL, flags | O_NONBLOCK);
  const auto* raw = reinterpret_cast<const sockaddr*>(&address);
  bool done = ::connect(socket.number(), raw, sizeof(address)) == 0;
  if (!done && errno == EINPROGRESS) {
    pollfd ready{socket.number(), POLLOUT, 0};
    int error = ETIMEDOUT;
    socklen_t size = sizeof(error);
    if (poll(&ready, 1, milliseconds) == 1) getsockopt(socket.number(), SOL_SOCKET, SO_ERROR, &error, &size);
    done = error == 0;
  }
  fcntl(socket.number(), F_SETFL, flags);
  return done;
}

bool receive(const Descriptor& socket, void* to, size_t bytes) {
  for (;;) {
    const ssize_t got = recv(socket.number(), to, bytes, MSG_WAITALL);
    if (got < 0 && errno == EINTR) continue;
    return got == static_cast<ssize_t>(bytes);
  }
}

}  // namespace

struct PeerWatch::Frame {
  int64_t kind, value;
  uint64_t token;
};

std::string PeerWatch::listen() {
  listening_ = new_socket();
  sockaddr_in any{};
  any.sin_family = AF_INET;
  if (bind(listening_.number(), reinterpret_cast<const sockaddr*>(&any), sizeof(any)) != 0) fail_with("bind");
  if (::listen(listening_.number(), 1024) != 0) fail_with("listen");
  socklen_t size = sizeof(any);
  getsockname(listening_.number(), reinterpret_cast<sockaddr*>(&any), &size);
  std::random_device random;
  token_ = (uint64_t{random()} << 32) | random();
  std::string place = fmt::format("{} {}", token_, ntohs(any.sin_port));
  for (const std::string& address : own_addresses()) place += " " + address;
  return place;
}

void PeerWatch::accept(int ranks, Events events) {
  first_ = true;
  peers_.resize(static_cast<size_t>(ranks) - 1);
  for (size_t there = 0; there < peers_.size();) {
    pollfd ready{listening_.number(), POLLIN, 0};
    if (poll(&ready, 1, kConnectSeconds * 1000) != 1)
      throw Error(fmt::format("{} of {} ranks did not connect to rank 0 within {} seconds",
                              peers_.size() - there, ranks, kConnectSeconds));
    Descriptor peer(accept4(listening_.number(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!peer) continue;
    prepare(peer);
    Frame hello{};
    if (!receive(peer, &hello, sizeof(hello)) || hello.kind != kHello || hello.token != token_ ||
        hello.value < 1 || hello.value >= ranks || peers_[static_cast<size_t>(hello.value) - 1])
      continue;  // a stranger
    const auto index = static_cast<size_t>(hello.value) - 1;
    peers_[index] = std::move(peer);
    send(index, {kHello, 0, token_});
    ++there;
  }
  start(std::move(events));
}

void PeerWatch::connect(const std::string& place, int rank, Events events) {
  first_ = false;
  std::istringstream words(place);
  uint16_t port = 0;
  words >> token_ >> port;
  for (std::string address; words >> address;) {
    Descriptor socket = new_socket();
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    inet_pton(AF_INET, address.c_str(), &to.sin_addr);
    if (!connect_within(socket, to, 3000)) continue;
    prepare(socket);
    peers_.clear();
    peers_.push_back(std::move(socket));
    Frame hello{};
    if (send(0, {kHello, rank, token_}) && receive(peers_[0], &hello, sizeof(hello)) && hello.token == token_)
      return start(std::move(events));
  }
  throw Error(
      fmt::format("rank {} cannot connect to rank 0 (port and addresses: {}); does a firewall keep the "
                  "hosts of the job from talking to each other?",
                  rank, place.substr(place.find(' ') + 1)));
}

void PeerWatch::start(Events events) {
  events_ = std::move(events);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) fail_with("pipe");
  wake_read_ = Descriptor(ends[0]);
  wake_write_ = Descriptor(ends[1]);
  thread_ = std::thread([this] { watch(); });
}

PeerWatch::~PeerWatch() {
  ending_ = true;
  wake_write_ = Descriptor();
  if (thread_.joinable()) thread_.join();
}

void PeerWatch::watch() {
  std::vector<bool> watched(peers_.size(), true);
  for (;;) {
    std::vector<pollfd> files{{wake_read_.number(), POLLIN, 0}};
    for (size_t i = 0; i < peers_.size(); ++i)
      files.push_back({watched[i] ? peers_[i].number() : -1, POLLIN, 0});
    if (poll(files.data(), files.size(), -1) < 0) continue;
    if (files[0].revents != 0) return;
    for (size_t i = 0; i < peers_.size(); ++i)
      if (files[i + 1].revents != 0) watched[i] = hear(i);
  }
}

bool PeerWatch::hear(size_t peer) {
  Frame frame{};
  if (!receive(peers_[peer], &frame, sizeof(frame))) {
    if (!ending_) events_.lost(rank_of(peer));
    return false;
  }
  if (frame.kind == kNumber && first_) {
    send(peer, {kNumber, next_++, token_});
  } else if (frame.kind == kNumber) {
    const std::lock_guard lock(mutex_);
    number_ = frame.value;
    came_.notify_all();
  } else if (frame.kind == kFailure) {
    if (!ending_) events_.left(rank_of(peer), static_cast<int>(frame.value));
    return false;
  }
  return true;
}

bool PeerWatch::send(size_t peer, const Frame& frame) {
  const std::lock_guard lock(mutex_);
  return ::send(peers_[peer].number(), &frame, sizeof(frame), MSG_NOSIGNAL) == sizeof(frame);
}

int64_t PeerWatch::next_number() {
  if (first_) return next_++;
  const std::lock_guard one_at_a_time(asking_);
  send(0, {kNumber, 0, token_});
  std::unique_lock lock(mutex_);
  came_.wait(lock, [this] { return number_ >= 0; });
  return std::exchange(number_, -1);
}

void PeerWatch::say_failure(int code) {
  for (size_t i = 0; i < peers_.size(); ++i) send(i, {kFailure, code, token_});
}

}  // namespace attune
