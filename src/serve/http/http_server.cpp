#include "serve/http/http_server.h"

#include <malloc.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "attune/error.h"
#include "serve/http/listening.h"

namespace attune::serve {
namespace {

constexpr uint64_t kListener = 0, kWake = 1, kFirstClient = 2;
constexpr int kTick = 100;  // ms between checks of the clock
constexpr std::chrono::seconds kBetweenTrims{5};
constexpr size_t kAcceptAtOnce = 64, kRequestsAtOnce = 16;

std::string bytes_of(const HttpResponse& response, bool keep_alive, bool head_only = false) {
  std::string bytes = head_of(response, {.length = response.body.size()}, keep_alive);
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
      next_client_(kFirstClient),
      transport_(options.transport) {
  if (!poll_ || !wake_) throw Error("the system has no descriptors left to wait for connections");
  watch(listener_.number(), kListener, EPOLLIN, true);
  watch(wake_.number(), kWake, EPOLLIN, true);
  handlers_ = std::make_unique<HandlerThreads>(
      HandlerThreads::Limits{options.threads, options.waiting_requests, options.held_bytes});
}

HttpServer::~HttpServer() { handlers_.reset(); }

void HttpServer::stop() {
  stopping_ = true;
  eventfd_write(wake_.number(), 1);
}

void HttpServer::set_transport(MakeTransport transport) {
  const std::lock_guard lock(mutex_);
  transport_ = std::move(transport);
}

void HttpServer::run() {
  auto next_look = Clock::now();
  std::array<epoll_event, 256> events;
  const auto done = [&] { return (clients_.empty() && idle()) || Clock::now() >= stop_at_; };
  while (!(stopping_ && !listener_ && done())) {
    const int wait = again_.empty() ? kTick : 0;
    const int count = epoll_wait(poll_.number(), events.data(), static_cast<int>(events.size()), wait);
    for (const uint64_t id : std::exchange(again_, {})) tend(id);
    for (int i = 0; i < count; ++i) {
      const epoll_event& event = events[static_cast<size_t>(i)];
      take_event(event.data.u64, event.events);
    }
    if (stopping_ && listener_) begin_to_stop();
    if (Clock::now() < next_look) continue;
    next_look = Clock::now() + std::chrono::milliseconds(kTick);
    watch_clocks();
  }
  clients_.clear();
}

void HttpServer::take_event(uint64_t id, uint32_t events) {
  if (id == kListener) return accept_clients();
  if (id == kWake) return take_outputs();
  tend(id, [&](Connection& connection) {
    if (connection.state() != Connection::State::handling) return;
    if ((events & (EPOLLHUP | EPOLLERR)) != 0)
      connection.close();
    else if ((events & EPOLLRDHUP) != 0)
      connection.half_closed();
  });
}

// Clients that are already waiting in the queue are answered too: closing the socket would reset them.
void HttpServer::begin_to_stop() {
  while (accept_client()) {
  }
  listener_ = Descriptor();
  give_up_at_ = Clock::now() + options_.stop;
  stop_at_ = give_up_at_ + options_.told;
}

void HttpServer::accept_clients() {
  for (size_t i = 0; i < kAcceptAtOnce && accept_client(); ++i) {
  }
}

// False if nobody waits.
bool HttpServer::accept_client() {
  std::string address;
  Descriptor socket = accept_from(listener_, address);
  if (!socket) {
    // Out of descriptors: accepting resumes at a later tick.
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      watch(listener_.number(), kListener, 0, false);
      accepting_ = false;
    }
    return false;
  }
  const int number = socket.number();
  const uint64_t id = next_client_++;
  try {
    MakeTransport make;
    {
      const std::lock_guard lock(mutex_);
      make = transport_;
    }
    auto transport = make(number);
    if (clients_.size() >= options_.connections) {
      const HttpRefusal refusal(503, "too many connections", 5);
      transport->write(bytes_of(app_.refuse(refusal, address), false));
      return true;
    }
    clients_.try_emplace(id, Client{Connection(std::move(socket), std::move(transport), std::move(address),
                                               options_.limits, options_.times)});
  } catch (const std::exception&) {
    return true;  // nothing can be done for this client: its connection closes
  }
  watch(number, id, 0, true);
  tend(id);
  return true;
}

// Applies an action to a client and then does all that can be done for it now. An exception ends only this //
// client.
void HttpServer::tend(uint64_t id, const Action& action) {
  const auto found = clients_.find(id);
  if (found == clients_.end()) return;
  Connection& connection = found->second.connection;
  try {
    try {
      if (action) action(connection);
      // A request that is answered at once may be followed by another, but other clients are waiting too.
      size_t taken = 0;
      for (; taken < kRequestsAtOnce; ++taken) {
        auto request = connection.advance();
        if (!request) break;
        dispatch(id, connection, std::move(*request));
      }
      if (taken == kRequestsAtOnce) again_.push_back(id);
    } catch (const HttpRefusal& refusal) {
      refuse(connection, refusal, true);
    }
  } catch (const std::exception&) {
    connection.close();
  }
  if (connection.state() == Connection::State::closed) {
    clients_.erase(found);  // closing a descriptor takes it out of the poll
    return;
  }
  const uint32_t interest = (connection.wants_read() ? static_cast<uint32_t>(EPOLLIN) : 0) |
                            (connection.wants_write() ? static_cast<uint32_t>(EPOLLOUT) : 0) |
                            (connection.wants_to_know_of_leaving() ? static_cast<uint32_t>(EPOLLRDHUP) : 0);
  if (interest != std::exchange(found->second.interest, interest))
    watch(connection.socket(), id, interest, false);
}

void HttpServer::dispatch(uint64_t id, Connection& connection, HttpRequest&& request) {
  if (stopping_) request.keep_alive = false;
  const bool last = !request.keep_alive;
  if (app_.quick(request))
    return connection.answer(bytes_of(app_.handle(request), !last, request.method == "HEAD"), true, last);
  worked_ = true;
  const auto life = request.life;
  const size_t bytes = request.body.size();
  if (!handlers_->start({[this, id, request = std::move(request)] { respond(id, request); }, life, bytes}))
    refuse(connection, HttpRefusal(503, "too many requests are in progress; try again later", 1), last);
}

void HttpServer::refuse(Connection& connection, const HttpRefusal& refusal, bool last) {
  connection.answer(bytes_of(app_.refuse(refusal, connection.address()), !last), true, last);
}

// Runs in a handler thread.
void HttpServer::respond(uint64_t id, const HttpRequest& request) {
  try {
    if (request.life.stop_requested())
      return post({id, bytes_of(app_.refuse(given_up(), request.address), false), true, true});
    const HttpResponse response = app_.handle(request);
    const bool chunked = !request.http_1_0, head_only = request.method == "HEAD",
               whole = !response.stream || head_only,
               keep_alive = request.keep_alive && !stopping_ && (whole || chunked);
    if (whole) return post({id, bytes_of(response, keep_alive, head_only), true, !keep_alive});
    post({id, head_of(response, {.chunked = chunked}, keep_alive), false, false});
    response.stream([&](std::string_view part) {
      if (!part.empty()) post({id, chunked ? chunk_of(part) : std::string(part), false, false});
      return !request.life.stop_requested();
    });
    post({id, chunked ? chunk_of("") : "", true, !keep_alive});
  } catch (const std::exception&) {
    post({id, "", true, true});  // the client sees that the answer, or its last chunk, is missing
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
  for (const Output& output : outputs)
    tend(output.client,
         [&](Connection& connection) { connection.answer(output.bytes, output.end, output.last); });
}

void HttpServer::watch_clocks() {
  if (listener_ && !accepting_) {
    watch(listener_.number(), kListener, EPOLLIN, false);
    accepting_ = true;
  }
  const auto now = Clock::now();
  give_memory_back(now);
  std::vector<uint64_t> ids;
  for (const auto& [id, client] : clients_)
    if (stopping_ || client.connection.due(now)) ids.push_back(id);
  for (const uint64_t id : ids)
    tend(id, [&](Connection& connection) {
      if (connection.late(now)) throw HttpRefusal(408, "the request took too long to arrive");
      if (stopping_) connection.stop(now);
      if (now >= give_up_at_) connection.give_up();
    });
}

// After a burst the allocator still holds the memory, spread over the heaps of many threads.
void HttpServer::give_memory_back(Clock::time_point now) {
  if (!worked_ || now < next_trim_ || !idle()) return;
  worked_ = false;
  next_trim_ = now + kBetweenTrims;
  handlers_->start({[] { malloc_trim(0); }, {}});
}

void HttpServer::watch(int descriptor, uint64_t id, uint32_t interest, bool add) const {
  epoll_event event{};
  event.events = interest;
  event.data.u64 = id;
  epoll_ctl(poll_.number(), add ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, descriptor, &event);
}

}  // namespace attune::serve
