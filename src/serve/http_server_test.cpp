// Requests through sockets: what the threads of the server do to each other.
#include "serve/http_server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <future>
#include <latch>

namespace attune::serve {
namespace {

using std::chrono::milliseconds;

class Echo final : public HttpApp {
 public:
  HttpResponse handle(const HttpRequest& request) override {
    if (request.path == "/wait") {
      arrived.count_down();
      go.wait();
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

  std::latch arrived{1}, go{1};
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
  // All that comes back until the server closes.
  std::string ask(const std::string& bytes) const {
    const Descriptor socket = connect();
    EXPECT_EQ(send(socket.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
    shutdown(socket.number(), SHUT_WR);
    return rest(socket);
  }
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
      for (int k = 0; k < 5; ++k) all += get("/" + std::to_string(i) + "x");
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
  EXPECT_TRUE(
      running.ask(get("/stream")).ends_with("\r\n\r\n4\r\none \r\n4\r\ntwo \r\n5\r\nthree\r\n0\r\n\r\n"));
  const std::string broken = running.ask(get("/broken") + get("/x"));
  EXPECT_TRUE(broken.ends_with("3\r\none\r\n")) << broken;
}

TEST(HttpServer, slow_and_refused_clients_are_told_and_closed) {
  HttpServerOptions options{.port = 0, .threads = 2};
  options.times.request = milliseconds(200);
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
  auto first = std::async(std::launch::async, [&] { return running.ask(get("/wait")); });
  running.app.arrived.wait();
  const std::string second = running.ask(get("/x", "Connection: close\r\n"));
  EXPECT_EQ(second.substr(0, 12), "HTTP/1.1 503");
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

TEST(HttpServer, a_client_that_leaves_is_noticed) {
  Running running;
  {
    const Descriptor leaving = running.connect();
    const std::string request = get("/wait");
    EXPECT_EQ(send(leaving.number(), request.data(), request.size(), 0),
              static_cast<ssize_t>(request.size()));
    running.app.arrived.wait();
  }
  running.app.go.count_down();
  EXPECT_EQ(running.ask(get("/x", "Connection: close\r\n")).substr(0, 12), "HTTP/1.1 200");
}

}  // namespace
}  // namespace attune::serve
