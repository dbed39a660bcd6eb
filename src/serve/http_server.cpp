#include "serve/http_server.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "attune/error.h"
#include "serve/listening.h"

namespace attune::serve {
namespace {

constexpr uint64_t kListener = 0, kWake = 1, kFirstClient = 2;
constexpr int kTick = 100;  // ms between looks at the clock
constexpr size_t kAcceptAtOnce = 64;
constexpr std::string_view kNoRoom =
    "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nContent-Length: 33\r\n"
    "Retry-After: 5\r\nConnection: close\r\n\r\n{\"error\": \"too many connections\"}";

std::string bytes_of(const HttpResponse& response, bool keep_alive, bool head_only = false) {
  std::string bytes = head_of(response, response.body.size(), keep_alive);
  if (!head_only) bytes += response.body;
  return bytes;
}

}  // namespace

HttpServer::HttpServer(const HttpServerOptions& options, HttpApp& app)
    : options_(options),
      app_(app),
      listener_(listen_at(options.host, options.port)),
      poll_(epoll_create1(EPOLL_CLOEXEC)),
      wake_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      port_(port_of(listener_)),
      next_client_(kFirstClient) {
  if (!poll_ || !wake_) throw Error("the system gives no descriptors to wait for connections");
  if (!options.tls_certificate.empty())
    tls_ = std::make_unique<Tls>(options.tls_certificate, options.tls_key);
  watch(listener_.number(), kListener, EPOLLIN, true);
  watch(wake_.number(), kWake, EPOLLIN, true);
  handlers_ = std::make_unique<HandlerThreads>(options.threads, options.waiting_requests);
}

HttpServer::~HttpServer() { handlers_.reset(); }

void HttpServer::stop() {
  stopping_ = true;
  eventfd_write(wake_.number(), 1);
}

void HttpServer::run() {
  auto next_look = Clock::now();
  auto stop_at = Clock::time_point::max();
  std::array<epoll_event, 256> events;
  while (!(stopping_ && (clients_.empty() || Clock::now() >= stop_at))) {
    const int count = epoll_wait(poll_.number(), events.data(), static_cast<int>(events.size()), kTick);
    for (int i = 0; i < count; ++i) {
      const epoll_event& event = events[static_cast<size_t>(i)];
      const uint64_t id = event.data.u64;
      if (id == kListener) {
        accept_clients();
      } else if (id == kWake) {
        take_outputs();
      } else if (const auto found = clients_.find(id); found != clients_.end()) {
        Connection& connection = found->second.connection;
        const bool left = (event.events & (EPOLLHUP | EPOLLERR)) != 0;
        if (left && connection.state() == Connection::State::handling) connection.close();
        serve(id);
      }
    }
    if (stopping_ && listener_) {
      listener_ = Descriptor();
      stop_at = Clock::now() + options_.stop;
    }
    if (Clock::now() < next_look) continue;
    next_look = Clock::now() + std::chrono::milliseconds(kTick);
    watch_clocks();
  }
  clients_.clear();
}

void HttpServer::accept_clients() {
  for (size_t i = 0; i < kAcceptAtOnce; ++i) {
    std::string address;
    Descriptor socket = accept_from(listener_, address);
    if (!socket) {
      // Out of descriptors: the clock opens the door again.
      if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
        watch(listener_.number(), kListener, 0, false);
        accepting_ = false;
      }
      return;
    }
    if (clients_.size() >= options_.connections) {
      if (tls_ == nullptr) send(socket.number(), kNoRoom.data(), kNoRoom.size(), MSG_NOSIGNAL);
      continue;
    }
    const int number = socket.number();
    auto transport = tls_ != nullptr ? tls_->transport(number) : plain_transport(number);
    const uint64_t id = next_client_++;
    clients_.try_emplace(id, Client{Connection(std::move(socket), std::move(transport), std::move(address),
                                               options_.limits, options_.times)});
    watch(number, id, 0, true);
    serve(id);
  }
}

void HttpServer::serve(uint64_t id) {
  const auto found = clients_.find(id);
  if (found == clients_.end()) return;
  Connection& connection = found->second.connection;
  try {
    // A request that is answered at once may be followed by the next one.
    while (auto request = connection.advance()) dispatch(id, std::move(*request));
  } catch (const HttpRefusal& refusal) {
    refuse(connection, refusal, true);
  }
  if (connection.state() == Connection::State::closed) {
    clients_.erase(found);  // closing a descriptor takes it out of the poll
    return;
  }
  const uint32_t interest = (connection.wants_read() ? static_cast<uint32_t>(EPOLLIN) : 0) |
                            (connection.wants_write() ? static_cast<uint32_t>(EPOLLOUT) : 0);
  if (interest != std::exchange(found->second.interest, interest))
    watch(connection.socket(), id, interest, false);
}

void HttpServer::dispatch(uint64_t id, HttpRequest&& request) {
  Connection& connection = clients_.at(id).connection;
  if (stopping_) request.keep_alive = false;
  const bool last = !request.keep_alive;
  auto task = [this, id, request = std::move(request), gone = connection.gone()] {
    respond(id, request, *gone);
  };
  if (!handlers_->start(std::move(task)))
    refuse(connection, HttpRefusal(503, "too many requests are under way; try again later", 1), last);
}

void HttpServer::refuse(Connection& connection, const HttpRefusal& refusal, bool last) {
  connection.answer(bytes_of(app_.refuse(refusal, connection.address()), !last), true, last);
}

// In a thread of the handlers.
void HttpServer::respond(uint64_t id, const HttpRequest& request, const std::atomic<bool>& gone) {
  const HttpResponse response = app_.handle(request);
  const bool keep_alive = request.keep_alive && !stopping_, head_only = request.method == "HEAD";
  if (!response.stream || head_only)
    return post({id, bytes_of(response, keep_alive, head_only), true, !keep_alive});
  post({id, head_of(response, std::nullopt, keep_alive), false, false});
  try {
    response.stream([&](std::string_view part) {
      if (!part.empty()) post({id, chunk_of(part), false, false});
      return !gone;
    });
    post({id, chunk_of(""), true, !keep_alive});
  } catch (const std::exception&) {
    post({id, "", true, true});  // the client sees that the last chunk is missing
  }
}

void HttpServer::post(Output&& output) {
  const std::lock_guard lock(mutex_);
  outputs_.push_back(std::move(output));
  if (outputs_.size() == 1) eventfd_write(wake_.number(), 1);
}

void HttpServer::take_outputs() {
  eventfd_t ignored = 0;
  eventfd_read(wake_.number(), &ignored);
  std::vector<Output> outputs;
  {
    const std::lock_guard lock(mutex_);
    outputs.swap(outputs_);
  }
  for (const Output& output : outputs) {
    const auto found = clients_.find(output.client);
    if (found == clients_.end()) continue;
    found->second.connection.answer(output.bytes, output.end, output.last);
    serve(output.client);
  }
}

void HttpServer::watch_clocks() {
  if (listener_ && !accepting_) {
    watch(listener_.number(), kListener, EPOLLIN, false);
    accepting_ = true;
  }
  const auto now = Clock::now();
  std::vector<uint64_t> changed;
  for (auto& [id, client] : clients_) {
    const auto before = client.connection.state();
    if (client.connection.late(now))
      refuse(client.connection, HttpRefusal(408, "the request took too long to come"), true);
    if (stopping_) client.connection.stop();
    if (client.connection.state() != before) changed.push_back(id);
  }
  for (const uint64_t id : changed) serve(id);
}

void HttpServer::watch(int descriptor, uint64_t id, uint32_t interest, bool add) const {
  epoll_event event{};
  event.events = interest;
  event.data.u64 = id;
  epoll_ctl(poll_.number(), add ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, descriptor, &event);
}

}  // namespace attune::serve
