// Who may ask the server what, and how often.
#include <gtest/gtest.h>

#include "serve/api/service_fixture.h"

namespace attune::serve {
namespace {

TEST(Service, keys_open_what_is_closed) {
  Server server([](EngineOptions&, ServiceOptions& options) {
    options.keys =
        ApiKeys::parse("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 alice", "keys");
  });
  EXPECT_EQ(server.translate({{"q", "a"}}, 403)["error"], "Invalid API key");
  EXPECT_EQ(server.translate({{"q", "a"}, {"api_key", "tess"}}, 403)["error"], "Invalid API key");
  server.translate({{"q", "a"}, {"api_key", "test"}});
  EXPECT_EQ(server.post("/detect", {{"q", "a"}}, {{"authorization", "Bearer test"}}).status, 200);
  EXPECT_EQ(server.get("/metrics").status, 403);
  EXPECT_EQ(server.get("/v1/models").status, 403);
  EXPECT_EQ(server.get("/health").status, 200);
}

TEST(Service, a_rate_is_kept) {
  Server server([](EngineOptions&, ServiceOptions& options) { options.rate = 3; });
  for (int i = 0; i < 3; ++i) server.translate({{"q", "a"}});
  const auto response = server.post("/translate", {{"q", "a"}});
  EXPECT_EQ(response.status, 429);
  const int seconds = std::stoi(header(response, "Retry-After"));
  EXPECT_TRUE(seconds > 0 && seconds <= 20) << seconds;
  EXPECT_EQ(json::parse(response.body)["error"], "Slowdown: 3 requests per minute are allowed");
}

TEST(Service, what_is_malformed_or_not_there_counts_for_the_rate_and_health_does_not) {
  Server server([](EngineOptions&, ServiceOptions& options) { options.rate = 1; });
  const auto status = [&](const std::string& address, const std::string& method, const std::string& path,
                          const std::string& body = "") {
    return server.service
        ->handle({.method = method,
                  .path = path,
                  .headers = {{"content-type", "application/json"}},
                  .body = body,
                  .address = address})
        .status;
  };
  EXPECT_EQ(status("1.0.0.1", "POST", "/translate", "{\"q\": \"\xff\""), 400);
  EXPECT_EQ(status("1.0.0.2", "GET", "/nothing"), 404);
  EXPECT_EQ(status("1.0.0.3", "DELETE", "/translate"), 405);
  EXPECT_EQ(server.service->refuse(HttpRefusal(400, "no request"), "1.0.0.4").status, 400);
  for (const char* address : {"1.0.0.1", "1.0.0.2", "1.0.0.3", "1.0.0.4"}) {
    EXPECT_EQ(status(address, "GET", "/languages"), 429) << address;
    EXPECT_EQ(status(address, "GET", "/health"), 200) << address;
    EXPECT_NE(status(address, "GET", "/"), 429) << address;
  }
}

TEST(Service, a_method_that_is_not_taken_is_told_which_is) {
  Server server;
  EXPECT_EQ(header(server.get("/translate"), "Allow"), "POST, OPTIONS");
  EXPECT_EQ(header(server.post("/health", {}), "Allow"), "GET, OPTIONS");
}

TEST(Service, a_proxy_says_who_the_client_is_in_the_last_of_all_lines) {
  Server server([](EngineOptions&, ServiceOptions& options) {
    options.behind_proxy = true;
    options.rate = 2;
  });
  const auto status = [&](const std::vector<std::string>& lines) {
    HttpRequest request{.method = "GET", .path = "/languages", .address = "127.0.0.1"};
    for (const std::string& line : lines) request.headers.emplace_back("x-forwarded-for", line);
    return server.service->handle(request).status;
  };
  EXPECT_EQ(status({"1.1.1.1", "2.2.2.2"}), 200);
  EXPECT_EQ(status({"3.3.3.3", "4.4.4.4, 2.2.2.2"}), 200);
  EXPECT_EQ(status({"5.5.5.5", "2.2.2.2"}), 429);
  EXPECT_EQ(status({"5.5.5.5"}), 200);
}

TEST(Service, pages_of_others_may_not_post_and_names_of_others_do_not_count) {
  Server server([](EngineOptions&, ServiceOptions& options) { options.hosts = {{"translate.example"}}; });
  const auto status = [&](HttpHeaders headers, const std::string& method = "POST") {
    headers.emplace_back("content-type", "application/x-www-form-urlencoded");
    return server.service
        ->handle({.method = method,
                  .path = method == "POST" ? "/translate" : "/health",
                  .headers = std::move(headers),
                  .body = "q=a&source=en&target=de"})
        .status;
  };
  EXPECT_EQ(status({{"host", "localhost:5000"}}), 200);
  EXPECT_EQ(status({{"host", "localhost:5000"}, {"origin", "http://localhost:5000"}}), 200);
  EXPECT_EQ(status({{"host", "127.0.0.1:5000"}, {"origin", "moz-extension://1-2-3"}}), 200);
  EXPECT_EQ(status({{"host", "localhost:5000"}, {"origin", "http://evil.example"}}), 403);
  EXPECT_EQ(status({{"host", "localhost:5000"}, {"origin", "http://localhost:80"}}), 403);
  EXPECT_EQ(status({{"host", "localhost:5000"}, {"origin", "null"}}), 403);
  EXPECT_EQ(status({{"host", "localhost:5000"}, {"sec-fetch-site", "cross-site"}}), 403);
  EXPECT_EQ(status({{"host", "localhost:5000"}, {"sec-fetch-site", "same-origin"}}), 200);
  EXPECT_EQ(
      status({{"host", "localhost"}, {"origin", "https://a.example"}, {"sec-fetch-site", "same-origin"}}),
      200)
      << "a proxy may have changed the name";
  for (const char* host : {"127.3.4.5", "[::1]:5000", "[::1]", "LOCALHOST", "Translate.example:1"})
    EXPECT_EQ(status({{"host", host}}, "GET"), 200) << host;
  for (const char* host : {"evil.example", "evil.example:5000", "127.0.0.1.evil.example", "1.2.3.4", "[::2]"})
    EXPECT_EQ(status({{"host", host}}, "GET"), 421) << host;
  Server open([](EngineOptions&, ServiceOptions& options) { options.cors = "https://a.example"; });
  const auto from = [&](const std::string& origin) {
    return open.post("/translate", {{"q", "a"}, {"source", "en"}, {"target", "de"}}, {{"origin", origin}})
        .status;
  };
  EXPECT_EQ(from("https://a.example"), 200);
  EXPECT_EQ(from("https://b.example"), 403);
}

TEST(Service, keys_can_be_changed_while_threads_ask) {
  Server server([](EngineOptions&, ServiceOptions& options) {
    options.keys =
        ApiKeys::parse("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 alice", "keys");
  });
  server.translate({{"q", "a"}, {"api_key", "test"}});
  server.service->set_keys(
      ApiKeys::parse("60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752 bob", "keys"));
  server.translate({{"q", "a"}, {"api_key", "test"}}, 403);
  server.translate({{"q", "a"}, {"api_key", "test2"}});
}

TEST(Service, pages_elsewhere_may_ask_only_if_told_so) {
  Server closed, open([](EngineOptions&, ServiceOptions&options) { options.cors = "https://a.example"; });
  const HttpRequest asks{.method = "OPTIONS", .path = "/translate"};
  EXPECT_EQ(header(closed.service->handle(asks), "Access-Control-Allow-Origin"), "");
  EXPECT_EQ(header(open.service->handle(asks), "Access-Control-Allow-Origin"), "https://a.example");
  EXPECT_EQ(header(open.service->handle(asks), "Access-Control-Allow-Methods"), "POST");
  EXPECT_EQ(header(closed.get("/health"), "X-Content-Type-Options"), "nosniff");
}

}  // namespace
}  // namespace attune::serve
