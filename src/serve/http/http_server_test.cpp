// Requests through sockets: what the threads of the server do to each other.
#include "serve/http/http_server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <condition_variable>
#include <future>
#include <latch>
#include <mutex>
#include <thread>

namespace attune::serve {
namespace {

using std::chrono::milliseconds;

class Echo final : public HttpApp {
 public:
  bool quick(const HttpRequest& request) const override { return request.path == "/quick"; }
  HttpResponse handle(const HttpRequest& request) override {
    if (request.path == "/wait") {
      arrived.count_down();
      go.wait();
    }
    if (request.path == "/work") {  // as long as somebody is interested
      arrived.count_down();
      std::mutex mutex;
      std::unique_lock lock(mutex);
      std::condition_variable_any never;
      never.wait(lock, request.life, [] { return false; });
      given_up.count_down();
      return {.status = 503, .body = "given up"};
    }
    HttpResponse response{.content_type = "text/plain", .body = request.path + request.body};
    if (request.path == "/stream")
      response.stream = [](const WritePart& out) {
        for (const char* part : {"one ", "two ", "three"}) out(part);
      };
    if (request.path == "/broken")
      response.stream = [](const WritePart& out) { out("one"), throw Error("no more"); };
    return response;
  }
  HttpResponse refuse(const HttpRefusal& refusal, const std::string& /*address*/) override {
    return {.status = refusal.status, .body = refusal.what()};
  }

  std::latch arrived{1}, go{1}, given_up{1};
};

struct Running {
  Echo app;
  HttpServer server;
  std::future<void> done;

  explicit Running(const HttpServerOptions& options = {.port = 0, .threads = 4})
      : server(options, app), done(std::async(std::launch::async, [this] { server.run(); })) {}
  ~Running() { stop(); }
  void stop() {
    server.stop();
    if (done.valid()) done.get();
  }

  Descriptor connect() const {
    Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(server.port()));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    return socket;
  }
  // A connection over which these bytes were sent.
  Descriptor tell(const std::string& bytes) const {
    Descriptor socket = connect();
    EXPECT_EQ(send(socket.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
    return socket;
  }
  // All that comes back until the server closes; the last request should ask it to.
  std::string ask(const std::string& bytes) const { return rest(tell(bytes)); }
  static std::string rest(const Descriptor& socket) {
    std::string answer;
    char part[4096];
    for (ssize_t n = 0; (n = recv(socket.number(), part, sizeof part, 0)) > 0;)
      answer.append(part, static_cast<size_t>(n));
    return answer;
  }
};

std::string get(const std::string& path, const std::string& headers = "") {
  return "GET " + path + " HTTP/1.1\r\nHost: x\r\n" + headers + "\r\n";
}

constexpr const char* kClose = "Connection: close\r\n";

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(HttpServer, many_clients_in_threads_get_their_own_answers) {
  Running running;
  std::vector<std::future<std::string>> answers;
  for (int i = 0; i < 12; ++i)
    answers.push_back(std::async(std::launch::async, [&, i] {
      std::string all;
      for (int k = 0; k < 5; ++k) all += get("/" + std::to_string(i) + "x", k == 4 ? kClose : "");
      return running.ask(all);
    }));
  for (int i = 0; i < 12; ++i) {
    const std::string answer = answers[static_cast<size_t>(i)].get();
    EXPECT_EQ(count(answer, "HTTP/1.1 200 OK"), 5u) << answer;
    EXPECT_EQ(count(answer, "\r\n\r\n/" + std::to_string(i) + "x"), 5u) << answer;
  }
}

TEST(HttpServer, answers_of_threads_come_part_by_part) {
  Running running;
  EXPECT_TRUE(running.ask(get("/stream", kClose))
                  .ends_with("\r\n\r\n4\r\none \r\n4\r\ntwo \r\n5\r\nthree\r\n0\r\n\r\n"));
  const std::string old = running.ask("GET /stream HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_EQ(old.find("Transfer-Encoding"), std::string::npos) << old;
  EXPECT_TRUE(old.ends_with("Connection: close\r\n\r\none two three")) << old;
  const std::string broken = running.ask(get("/broken") + get("/x"));
  EXPECT_TRUE(broken.ends_with("3\r\none\r\n")) << broken;
}

TEST(HttpServer, slow_and_refused_clients_are_told_and_closed) {
  HttpServerOptions options{.port = 0, .threads = 2};
  options.times.request = milliseconds(2000);
  Running running(options);
  const Descriptor slow = running.connect();
  EXPECT_EQ(send(slow.number(), "GET /", 5, 0), 5);
  EXPECT_EQ(Running::rest(slow).substr(0, 12), "HTTP/1.1 408");
  EXPECT_EQ(Running::rest(running.connect()), "");  // said nothing
  const std::string refused = running.ask("nonsense\r\n\r\n" + get("/x"));
  EXPECT_EQ(count(refused, "HTTP/1.1 "), 1u);
  EXPECT_NE(refused.find("HTTP/1.1 400 Bad Request"), std::string::npos);
}

TEST(HttpServer, more_than_it_can_do_is_refused) {
  Running running({.port = 0, .threads = 1, .waiting_requests = 0});
  auto first = std::async(std::launch::async, [&] { return running.ask(get("/wait", kClose)); });
  running.app.arrived.wait();
  EXPECT_EQ(running.ask(get("/x", kClose)).substr(0, 12), "HTTP/1.1 503");
  EXPECT_EQ(running.ask(get("/quick", kClose)).substr(0, 12), "HTTP/1.1 200") << "it needs no thread";
  running.app.go.count_down();
  EXPECT_EQ(first.get().substr(0, 12), "HTTP/1.1 200");
}

TEST(HttpServer, a_stop_lets_threads_finish) {
  Running running;
  auto first = std::async(std::launch::async, [&] { return running.ask(get("/wait")); });
  running.app.arrived.wait();
  const Descriptor idle = running.connect();
  running.server.stop();
  EXPECT_EQ(Running::rest(idle), "");
  EXPECT_NE(running.done.wait_for(milliseconds(0)), std::future_status::ready);
  running.app.go.count_down();
  EXPECT_NE(first.get().find("Connection: close"), std::string::npos);
  running.stop();
}

TEST(HttpServer, a_stop_gives_up_what_threads_do_not_finish_and_says_so) {
  HttpServerOptions options{.port = 0, .threads = 1};
  options.stop = milliseconds(100);
  options.told = milliseconds(60'000);
  Running running(options);
  const Descriptor under_way = running.tell(get("/work"));
  running.app.arrived.wait();
  const Descriptor waiting = running.tell(get("/x"));
  running.server.stop();
  running.app.given_up.wait();
  EXPECT_EQ(Running::rest(under_way).substr(0, 12), "HTTP/1.1 503");
  EXPECT_EQ(Running::rest(waiting).substr(0, 12), "HTTP/1.1 503");
  running.stop();
  EXPECT_TRUE(running.server.idle());
}

// As those that have been idle may have a request on its way that nobody can recall.
TEST(HttpServer, a_stop_still_answers_what_comes_to_its_threads_in_time) {
  HttpServerOptions options{.port = 0, .threads = 1};
  options.times.farewell = milliseconds(60'000);
  Running running(options);
  const Descriptor kept = running.connect();
  const std::string request = get("/x");
  const auto ask = [&] { send(kept.number(), request.data(), request.size(), MSG_NOSIGNAL); };
  ask();
  char part[4096];
  EXPECT_GT(recv(kept.number(), part, sizeof part, 0), 0);
  running.server.stop();
  ask();
  const std::string answer = Running::rest(kept);
  EXPECT_EQ(answer.substr(0, 12), "HTTP/1.1 200");
  EXPECT_NE(answer.find("Connection: close"), std::string::npos);
  running.stop();
}

// By a reset, or by the end of what it sends.
TEST(HttpServer, clients_that_leave_end_what_threads_do_for_them) {
  for (const bool reset : {true, false}) {
    Running running;
    {
      const Descriptor leaving = running.tell(get("/work"));
      running.app.arrived.wait();
      const linger none{1, 0};
      if (reset) setsockopt(leaving.number(), SOL_SOCKET, SO_LINGER, &none, sizeof none);
    }
    running.app.given_up.wait();
    EXPECT_EQ(running.ask(get("/x", kClose)).substr(0, 12), "HTTP/1.1 200");
  }
}

// The one thread is taken; of those who wait for it, the dead make room for the living.
TEST(HttpServer, clients_that_left_do_not_wait_for_threads) {
  Running running({.port = 0, .threads = 1, .waiting_requests = 1});
  auto first = std::async(std::launch::async, [&] { return running.ask(get("/wait", kClose)); });
  running.app.arrived.wait();
  const Descriptor leaving = running.tell(get("/x"));
  shutdown(leaving.number(), SHUT_WR);
  Descriptor living;
  for (bool made_room = false; !made_room;) {  // until then, the server has not seen that the other one left
    living = running.tell(get("/y", kClose));
    pollfd answered[] = {{leaving.number(), POLLIN, 0}, {living.number(), POLLIN, 0}};
    poll(answered, 2, -1);
    made_room = (answered[0].revents & POLLIN) != 0;
  }
  EXPECT_EQ(Running::rest(leaving).substr(0, 12), "HTTP/1.1 503");
  running.app.go.count_down();
  EXPECT_EQ(first.get().substr(0, 12), "HTTP/1.1 200");
  EXPECT_EQ(Running::rest(living).substr(0, 12), "HTTP/1.1 200");
}

class Throwing final : public Transport {
 public:
  Transfer read(std::span<char>) override { throw Error("no memory"); }
  Transfer write(std::string_view) override { throw Error("no memory"); }
  void end_writing() override { throw Error("no memory"); }
};

TEST(HttpServer, a_transport_that_throws_ends_its_connection_and_no_threads) {
  std::atomic<int> made = 0;
  HttpServerOptions options{.port = 0, .threads = 1};
  options.transport = [&](int socket) -> std::unique_ptr<Transport> {
    const int number = made++;
    if (number == 0) throw Error("no memory");
    if (number == 1) return std::make_unique<Throwing>();
    return plain_transport(socket);
  };
  Running running(options);
  EXPECT_EQ(running.ask(get("/x")), "");
  EXPECT_EQ(running.ask(get("/x")), "");
  EXPECT_EQ(running.ask(get("/x", kClose)).substr(0, 12), "HTTP/1.1 200");
  running.server.set_transport([](int) { return std::make_unique<Throwing>(); });
  EXPECT_EQ(running.ask(get("/x")), "");
}

// Empty lines are no request, and no reason to wait longer.
TEST(HttpServer, empty_lines_do_not_keep_a_connection_of_its_thread) {
  HttpServerOptions options{.port = 0, .threads = 1};
  options.times.request = milliseconds(300);
  Running running(options);
  const Descriptor slow = running.connect();
  const auto start = Clock::now();
  while (send(slow.number(), "\r\n", 2, MSG_NOSIGNAL) == 2 && Clock::now() - start < milliseconds(60'000))
    std::this_thread::sleep_for(milliseconds(20));
  EXPECT_LT(Clock::now() - start, milliseconds(60'000));
}

TEST(HttpServer, bodies_that_threads_hold_have_a_limit_together) {
  HttpServerOptions options{.port = 0, .threads = 3};
  options.held_bytes = 1000;
  Running running(options);
  const auto post = [](const std::string& path, size_t bytes) {
    return "POST " + path +
           " HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: " + std::to_string(bytes) +
           "\r\n\r\n" + std::string(bytes, 'x');
  };
  auto first = std::async(std::launch::async, [&] { return running.ask(post("/wait", 2000)); });
  running.app.arrived.wait();
  EXPECT_EQ(running.ask(post("/x", 10)).substr(0, 12), "HTTP/1.1 503");
  running.app.go.count_down();
  EXPECT_EQ(first.get().substr(0, 12), "HTTP/1.1 200");
}

}  // namespace
}  // namespace attune::serve
