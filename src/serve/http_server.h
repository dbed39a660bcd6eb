// HttpServer: one thread waits for all sockets, reads requests and writes answers, so that slow clients cost
// a little memory and nothing else; requests that came as a whole are answered by other threads.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "serve/connection.h"
#include "serve/handler_threads.h"

namespace attune::serve {

// What answers. Both functions are called from several threads and do not throw.
class HttpApp {
 public:
  virtual ~HttpApp() = default;
  virtual HttpResponse handle(const HttpRequest& request) = 0;
  // What could not be read as a request, or came when too much was under way. Soon done.
  virtual HttpResponse refuse(const HttpRefusal& refusal, const std::string& address) = 0;
};

struct HttpServerOptions {
  std::string host = "127.0.0.1";
  int port = 5000;  // 0: any that is free
  size_t connections = 1000;
  size_t threads = 128;           // requests that are answered at a time
  size_t waiting_requests = 128;  // for a thread
  HttpLimits limits = {};
  ConnectionTimes times = {};
  std::chrono::milliseconds stop{30'000};          // the longest that stop() leaves to requests under way
  std::string tls_certificate = {}, tls_key = {};  // PEM files; none: plain HTTP
};

class HttpServer {
 public:
  // Listens at once. A UsageError if the address cannot be had.
  HttpServer(const HttpServerOptions& options, HttpApp& app);
  ~HttpServer();

  int port() const { return port_; }
  void run();   // until it has stopped
  void stop();  // from any thread: takes no new connections, finishes the requests it has

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

  void accept_clients();
  void take_outputs();
  void serve(uint64_t id);
  void dispatch(uint64_t id, HttpRequest&& request);
  void refuse(Connection& connection, const HttpRefusal& refusal, bool last);
  void respond(uint64_t id, const HttpRequest& request, const std::atomic<bool>& gone);
  void post(Output&& output);
  void watch_clocks();
  void watch(int descriptor, uint64_t id, uint32_t interest, bool add) const;

  HttpServerOptions options_;
  HttpApp& app_;
  std::unique_ptr<Tls> tls_;
  Descriptor listener_, poll_, wake_;
  int port_ = 0;
  std::map<uint64_t, Client> clients_;
  uint64_t next_client_;
  bool accepting_ = true;
  std::atomic<bool> stopping_ = false;
  std::mutex mutex_;  // of the outputs
  std::vector<Output> outputs_;
  std::unique_ptr<HandlerThreads> handlers_;
};

}  // namespace attune::serve
