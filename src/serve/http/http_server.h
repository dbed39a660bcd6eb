// HttpServer: one thread waits for all sockets, reads requests and writes answers, so that slow clients cost
// only a little memory; complete requests are answered by other threads.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "serve/http/connection.h"
#include "serve/http/handler_threads.h"

namespace attune::serve {

// Answers requests. All functions are called from several threads and do not throw.
class HttpApp {
 public:
  virtual ~HttpApp() = default;
  // Whether handle() answers it without waiting for anything. Then it needs no other thread and does not wait
  // for one.
  virtual bool quick(const HttpRequest& /*request*/) const { return false; }
  virtual HttpResponse handle(const HttpRequest& request) = 0;
  // For bytes that are not a request, and for requests that come when there is too much work. Must be quick.
  virtual HttpResponse refuse(const HttpRefusal& refusal, const std::string& address) = 0;
};

// Makes the transport of a new client's socket.
using MakeTransport = std::function<std::unique_ptr<Transport>(int socket)>;

struct HttpServerOptions {
  std::string host = "127.0.0.1";
  int port = 5000;  // 0: any that is free
  size_t connections = 1000;
  size_t threads = 128;           // requests that are answered at a time
  size_t waiting_requests = 128;  // for a thread
  size_t held_bytes = 8 << 20;    // of the bodies of all of these
  HttpLimits limits = {};
  ConnectionTimes times = {};
  std::chrono::milliseconds stop{25'000};  // for requests in progress at stop() to finish
  std::chrono::milliseconds told{5'000};   // then: for clients of cancelled requests to be told so
  MakeTransport transport = plain_transport;
};

class HttpServer {
 public:
  // Listens at once. A UsageError if the address cannot be used.
  HttpServer(const HttpServerOptions& options, HttpApp& app);
  ~HttpServer();

  int port() const { return port_; }
  void run();   // until it has stopped
  void stop();  // from any thread: takes no new connections, finishes the requests it has
  // From any thread: for clients that connect from now on.
  void set_transport(MakeTransport transport);
  // Whether all requests were answered, or at least their handlers have returned.
  bool idle() const { return handlers_->busy() == 0; }

 private:
  struct Client {
    Connection connection;
    uint32_t interest = 0;
  };
  struct Output {
    uint64_t client;
    std::string bytes;
    bool end, last;
  };
  using Action = std::function<void(Connection&)>;

  void take_event(uint64_t id, uint32_t events);
  bool accept_client();
  void accept_clients();
  void take_outputs();
  void tend(uint64_t id, const Action& action = {});
  void dispatch(uint64_t id, Connection& connection, HttpRequest&& request);
  void refuse(Connection& connection, const HttpRefusal& refusal, bool last);
  void respond(uint64_t id, const HttpRequest& request);
  void post(Output&& output);
  void watch_clocks();
  void begin_to_stop();
  void give_memory_back(Clock::time_point now);
  void watch(int descriptor, uint64_t id, uint32_t interest, bool add) const;

  HttpServerOptions options_;
  HttpApp& app_;
  Descriptor listener_, poll_, wake_;
  int port_ = 0;
  std::map<uint64_t, Client> clients_;
  std::vector<uint64_t> again_;  // clients that have more to say
  uint64_t next_client_;
  bool accepting_ = true;
  bool worked_ = false;  // since memory was last given back
  Clock::time_point next_trim_{};
  std::atomic<bool> stopping_ = false;
  Clock::time_point give_up_at_ = Clock::time_point::max(), stop_at_ = Clock::time_point::max();
  std::mutex mutex_;  // of what follows
  std::vector<Output> outputs_;
  MakeTransport transport_;
  std::unique_ptr<HandlerThreads> handlers_;
};

}  // namespace attune::serve
