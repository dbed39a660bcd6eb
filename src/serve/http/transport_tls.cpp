#include <fmt/core.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <algorithm>
#include <limits>

#include "attune/error.h"
#include "serve/http/transport.h"

namespace attune::serve {
namespace {

constexpr size_t kMost = std::numeric_limits<int>::max();

class Encrypted final : public Transport {
 public:
  Encrypted(SSL_CTX* context, int socket) : ssl_(SSL_new(context), SSL_free), socket_(socket) {
    if (ssl_ == nullptr || SSL_set_fd(ssl_.get(), socket) != 1)
      throw Error("TLS: there is no memory for a connection");
    SSL_set_accept_state(ssl_.get());
  }

  Transfer read(std::span<char> to) override {
    ERR_clear_error();
    return transfer(SSL_read(ssl_.get(), to.data(), static_cast<int>(std::min(to.size(), kMost))));
  }
  Transfer write(std::string_view bytes) override {
    ERR_clear_error();
    return transfer(SSL_write(ssl_.get(), bytes.data(), static_cast<int>(std::min(bytes.size(), kMost))));
  }
  void end_writing() override {
    ERR_clear_error();
    if (!failed_) SSL_shutdown(ssl_.get());
    shutdown(socket_, SHUT_WR);
  }

 private:
  Transfer transfer(int moved) {
    if (moved > 0) return {Transfer::State::moved, static_cast<size_t>(moved)};
    switch (SSL_get_error(ssl_.get(), moved)) {
      case SSL_ERROR_WANT_READ: return {Transfer::State::wait_to_read, 0};
      case SSL_ERROR_WANT_WRITE: return {Transfer::State::wait_to_write, 0};
      case SSL_ERROR_ZERO_RETURN: return {};
      default: failed_ = true; return {};
    }
  }

  std::unique_ptr<SSL, decltype(&SSL_free)> ssl_;
  int socket_;
  bool failed_ = false;  // then nothing more may be sent
};

std::string reason() {
  char text[256] = "unknown";
  if (const unsigned long code = ERR_get_error(); code != 0) ERR_error_string_n(code, text, sizeof text);
  ERR_clear_error();
  return text;
}

}  // namespace

struct Tls::Context {
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> ssl{SSL_CTX_new(TLS_server_method()), SSL_CTX_free};
};

Tls::Tls(const std::string& certificate, const std::string& key) : context_(std::make_unique<Context>()) {
  SSL_CTX* ssl = context_->ssl.get();
  if (ssl == nullptr) throw Error("TLS: " + reason());
  SSL_CTX_set_min_proto_version(ssl, TLS1_2_VERSION);
  SSL_CTX_set_options(ssl, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_IGNORE_UNEXPECTED_EOF);
  // The output may grow while part of it waits to be written.
  SSL_CTX_set_mode(ssl, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  if (SSL_CTX_use_certificate_chain_file(ssl, certificate.c_str()) != 1)
    throw UsageError(fmt::format("{}: this is not a certificate in PEM format: {}", certificate, reason()));
  if (SSL_CTX_use_PrivateKey_file(ssl, key.c_str(), SSL_FILETYPE_PEM) != 1)
    throw UsageError(fmt::format("{}: this is not the private key of {}: {}", key, certificate, reason()));
}

Tls::~Tls() = default;

std::unique_ptr<Transport> Tls::transport(int socket) const {
  return std::make_unique<Encrypted>(context_->ssl.get(), socket);
}

}  // namespace attune::serve
