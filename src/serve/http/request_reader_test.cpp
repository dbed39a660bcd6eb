#include "serve/http/request_reader.h"

#include <gtest/gtest.h>

namespace attune::serve {
namespace {

constexpr HttpLimits kSmall{.head = 400, .body = 20};

std::vector<HttpRequest> read_all(std::string_view bytes, size_t at_once) {
  RequestReader reader(kSmall);
  std::vector<HttpRequest> requests;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(at_once, bytes.size()))) {
    reader.add(bytes.substr(0, at_once));
    while (auto request = reader.next()) requests.push_back(std::move(*request));
  }
  return requests;
}

int status_of(std::string_view bytes) {
  try {
    read_all(bytes, bytes.size());
  } catch (const HttpRefusal& refusal) {
    return refusal.status;
  }
  return 200;
}

std::string with_headers(const std::string& headers) {
  return "GET / HTTP/1.1\r\nHost: x\r\n" + headers + "\r\n";
}

TEST(RequestReader, requests_are_the_same_however_their_bytes_come) {
  const std::string bytes =
      "POST /translate?a=b HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nX-Two:  y z \t\r\n\r\nhello"
      "\r\nGET /health HTTP/1.0\r\n\r\n"
      "POST /c HTTP/1.1\r\nhost: x\r\nTransfer-Encoding: Chunked\r\n\r\n3;a=b\r\nabc\r\n2\r\n\r\n\r\n0\r\nT: "
      "v\r\n\r\n"
      "GET /d HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
  for (const size_t at_once : {1, 2, 3, 7, 1000}) {
    const auto requests = read_all(bytes, at_once);
    ASSERT_EQ(requests.size(), 4u) << at_once;
    EXPECT_EQ(requests[0].method + requests[0].path + "|" + requests[0].query, "POST/translate|a=b");
    EXPECT_EQ(requests[0].body, "hello");
    EXPECT_EQ(requests[0].header("x-two"), "y z");
    EXPECT_TRUE(requests[0].keep_alive);
    EXPECT_FALSE(requests[1].keep_alive);
    EXPECT_EQ(requests[2].body, "abc\r\n");
    EXPECT_FALSE(requests[3].keep_alive);
  }
}

TEST(RequestReader, what_is_no_request_is_refused_with_its_status) {
  EXPECT_EQ(status_of(with_headers("")), 200);
  for (const char* line :
       {"GET /", "GET  HTTP/1.1", "G\x01T / HTTP/1.1", "GET / FTP/1.1", "GET x HTTP/1.1",
        "GET /\x80 HTTP/1.1", "GET / x HTTP/1.1", "AVERYLONGMETHODNAME / HTTP/1.1", " / HTTP/1.1"})
    EXPECT_EQ(status_of(std::string(line) + "\r\nHost: x\r\n\r\n"), 400) << line;
  EXPECT_EQ(status_of("GET / HTTP/2.0\r\nHost: x\r\n\r\n"), 505);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\n\r\n"), 400);  // no host
  for (const char* header :
       {"Host: y\r\n", "no colon\r\n", ": empty\r\n", "A b: c\r\n", " folded: x\r\n", "A: \x01\r\n",
        "Content-Length: -1\r\n", "Content-Length: +1\r\n", "Content-Length: 1x\r\n", "Content-Length: \r\n",
        "Content-Length: 1\r\nContent-Length: 1\r\n", "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n"})
    EXPECT_EQ(status_of(with_headers(header)), 400) << header;
  EXPECT_EQ(status_of(with_headers(std::string("A: x\0y\r\n", 8))), 400);
  EXPECT_EQ(status_of(with_headers("Transfer-Encoding: gzip, chunked\r\n")), 501);
  EXPECT_EQ(status_of(with_headers("Content-Encoding: gzip\r\n")), 415);
}

// What another program might read as another request.
TEST(RequestReader, what_is_ambiguous_is_refused) {
  const std::string chunked = with_headers("Transfer-Encoding: chunked\r\n");
  const auto status_of_chunks = [&](const std::string& bytes) { return status_of(chunked + bytes); };
  EXPECT_EQ(status_of_chunks("3;a=b;c=\"\xc3\xa4\"\r\nabc\r\n0\r\nT: \xc3\xa4\r\n\r\n"), 200);
  EXPECT_EQ(status_of_chunks("3 ; a\r\nabc\r\n0\r\n\r\n"), 200);
  for (const char* bytes :
       {" 3\r\nabc\r\n0\r\n\r\n", "3 \r\nabc\r\n0\r\n\r\n", "3 4\r\nabc\r\n", "3;a\nb\r\nabc\r\n",
        "3;a\rb\r\nabc\r\n", "0x3\r\nabc\r\n", "+3\r\nabc\r\n", ";a\r\n", "0\r\nno trailer\r\n\r\n",
        "0\r\nA b: c\r\n\r\n", "0\r\nT: \x01\r\n\r\n", "0\r\n folded: x\r\n\r\n"})
    EXPECT_EQ(status_of_chunks(bytes), 400) << bytes;
  EXPECT_EQ(status_of("GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), 400);
}

TEST(RequestReader, a_connection_stays_if_all_lines_say_so) {
  const auto stays = [](const std::string& version, const std::string& headers) {
    return read_all("GET / HTTP/" + version + "\r\nHost: x\r\n" + headers + "\r\n", 1000).at(0).keep_alive;
  };
  EXPECT_TRUE(stays("1.1", ""));
  EXPECT_FALSE(stays("1.1", "Connection: keep-alive\r\nConnection: close\r\n"));
  EXPECT_FALSE(stays("1.1", "Connection: x, Close\r\n"));
  EXPECT_TRUE(stays("1.1", "Connection: closed, x\r\n"));
  EXPECT_FALSE(stays("1.0", ""));
  EXPECT_TRUE(stays("1.0", "Connection: x\r\nConnection: Keep-Alive\r\n"));
  EXPECT_FALSE(stays("1.0", "Connection: keep-alive, close\r\n"));
}

TEST(RequestReader, nothing_grows_beyond_its_limits) {
  EXPECT_EQ(status_of(with_headers("A: " + std::string(500, 'x') + "\r\n")), 431);
  EXPECT_EQ(status_of("GET /" + std::string(500, 'x')), 431);
  EXPECT_EQ(status_of(with_headers("Content-Length: 20\r\n") + std::string(20, 'x')), 200);
  EXPECT_EQ(status_of(with_headers("Content-Length: 21\r\n")), 413);
  EXPECT_EQ(status_of(with_headers("Content-Length: 99999999999999999999\r\n")), 400);
  const std::string chunked = with_headers("Transfer-Encoding: chunked\r\n");
  EXPECT_EQ(status_of(chunked + "15\r\n"), 413);
  EXPECT_EQ(status_of(chunked + "14\r\n" + std::string(20, 'x') + "\r\n1\r\n"), 413);
  EXPECT_EQ(status_of(chunked + "ffffffffffffffff\r\n"), 413);
  EXPECT_EQ(status_of(chunked + "x\r\n"), 400);
  EXPECT_EQ(status_of(chunked + "1\r\nab\r\n"), 400);
  EXPECT_EQ(status_of(chunked + std::string(300, '0')), 400);
  EXPECT_EQ(status_of(chunked + "0\r\n" + "T: " + std::string(300, 'x') + "\r\nT: " + std::string(300, 'x') +
                      "\r\n"),
            431);
}

TEST(RequestReader, a_client_that_waits_for_a_word_is_known_once) {
  RequestReader reader(kSmall);
  EXPECT_TRUE(reader.empty());
  reader.add(with_headers("Expect: 100-continue\r\nContent-Length: 2\r\n"));
  EXPECT_FALSE(reader.next());
  EXPECT_FALSE(reader.empty());
  EXPECT_TRUE(reader.wants_continue());
  EXPECT_FALSE(reader.wants_continue());
  reader.add("ok");
  EXPECT_EQ(reader.next()->body, "ok");
  EXPECT_TRUE(reader.empty());
}

TEST(HttpMessage, answers_have_a_date_and_a_length_or_chunks_or_neither) {
  const HttpResponse response{.status = 503, .headers = {{"Retry-After", "2"}}};
  const std::string whole = head_of(response, {.length = 5}, true);
  EXPECT_TRUE(whole.starts_with("HTTP/1.1 503 Service Unavailable\r\nDate: ")) << whole;
  EXPECT_TRUE(
      whole.ends_with(" GMT\r\nContent-Type: application/json\r\nContent-Length: 5\r\n"
                      "Retry-After: 2\r\nConnection: keep-alive\r\n\r\n"))
      << whole;
  EXPECT_NE(head_of(response, {.chunked = true}, false)
                .find("json\r\nTransfer-Encoding: chunked\r\nRetry-After: 2\r\nConnection: close\r\n\r\n"),
            std::string::npos);
  EXPECT_NE(head_of(response, {}, false).find("json\r\nRetry-After: 2\r\nConnection: close\r\n\r\n"),
            std::string::npos);
  EXPECT_EQ(chunk_of("0123456789abcdef"), "10\r\n0123456789abcdef\r\n");
  EXPECT_EQ(chunk_of(""), "0\r\n\r\n");
  EXPECT_EQ(http_date(784111777), "Sun, 06 Nov 1994 08:49:37 GMT");
}

}  // namespace
}  // namespace attune::serve
