#include <sys/socket.h>

#include <cerrno>

#include "serve/http/transport.h"

namespace attune::serve {
namespace {

class Plain final : public Transport {
 public:
  explicit Plain(int socket) : socket_(socket) {}

  Transfer read(std::span<char> to) override {
    return transfer(recv(socket_, to.data(), to.size(), 0), Transfer::State::wait_to_read);
  }
  Transfer write(std::string_view bytes) override {
    return transfer(send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL), Transfer::State::wait_to_write);
  }
  void end_writing() override { shutdown(socket_, SHUT_WR); }

 private:
  static Transfer transfer(ssize_t moved, Transfer::State otherwise) {
    if (moved > 0) return {Transfer::State::moved, static_cast<size_t>(moved)};
    const bool later = moved < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
    return {later ? otherwise : Transfer::State::ended, 0};
  }

  int socket_;
};

}  // namespace

std::unique_ptr<Transport> plain_transport(int socket) { return std::make_unique<Plain>(socket); }

}  // namespace attune::serve
