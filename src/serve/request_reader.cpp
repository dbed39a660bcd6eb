#include "serve/request_reader.h"

#include <algorithm>
#include <charconv>

#include "base/ascii.h"

namespace attune::serve {
namespace {

constexpr size_t kMostHeaders = 100, kLongestMethod = 16, kLongestTarget = 8 << 10, kLongestChunkLine = 256;
constexpr std::string_view kEnd = "\r\n";

[[noreturn]] void refuse(const std::string& why) { throw HttpRefusal(400, "Invalid request: " + why); }

// RFC 9110, 5.6.2.
bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return is_ascii_letter(c) || is_ascii_digit(c) ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
  });
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  const size_t begin = text.find_first_not_of(kBlanks);
  return begin == std::string_view::npos ? std::string_view()
                                         : text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

// A number without a sign; nothing if it is none or does not fit.
std::optional<size_t> number(std::string_view digits, int base) {
  size_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) return {};
  return value;
}

void read_request_line(std::string_view line, HttpRequest& request) {
  const size_t first = line.find(' '), last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) refuse("this is no request line");
  const std::string_view method = line.substr(0, first), version = line.substr(last + 1);
  std::string_view target = line.substr(first + 1, last - first - 1);
  if (!is_token(method) || method.size() > kLongestMethod) refuse("this is no request line");
  if (!version.starts_with("HTTP/")) refuse("this is no request line");
  if (version != "HTTP/1.1" && version != "HTTP/1.0") throw HttpRefusal(505, "this server speaks HTTP/1.1");
  if (target.size() > kLongestTarget) throw HttpRefusal(414, "the address is too long");
  if (!std::ranges::all_of(target, is_ascii_visible) || (target != "*" && !target.starts_with('/')))
    refuse("the address should begin with /");
  request.method = method;
  request.keep_alive = version == "HTTP/1.1";
  const size_t question = std::min(target.find('?'), target.size());
  request.path = target.substr(0, question);
  request.query = target.substr(std::min(question + 1, target.size()));
}

void read_header_line(std::string_view line, HttpRequest& request) {
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) refuse("a header has no name");
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (!std::ranges::all_of(value, [](char c) { return c == '\t' || (byte_of(c) >= 0x20 && c != 0x7F); }))
    refuse("a header has control characters");
  if (request.headers.size() == kMostHeaders) throw HttpRefusal(431, "there are too many headers");
  request.headers.emplace_back(ascii_small(line.substr(0, colon)), value);
}

size_t count(const HttpRequest& request, std::string_view name) {
  return static_cast<size_t>(
      std::ranges::count(request.headers, name, [](const auto& each) { return each.first; }));
}

}  // namespace

std::optional<HttpRequest> RequestReader::next() {
  std::optional<HttpRequest> whole;
  if ((request_ || read_head()) && read_body()) whole = std::exchange(request_, std::nullopt);
  if (whole) wants_continue_ = false;
  buffer_.erase(0, at_);
  at_ = 0;
  return whole;
}

bool RequestReader::read_head() {
  while (rest().starts_with(kEnd)) at_ += kEnd.size();  // RFC 9112, 2.2: empty lines before a request
  const size_t length = rest().find("\r\n\r\n");
  if (std::min(length, rest().size()) > limits_.head)
    throw HttpRefusal(431, "the headers are longer than this server takes");
  if (length == std::string_view::npos) return false;
  std::string_view lines = rest().substr(0, length);
  if (lines.find('\0') != std::string_view::npos) refuse("a header has control characters");
  request_.emplace();
  for (bool first = true; !lines.empty(); first = false) {
    const std::string_view line = lines.substr(0, lines.find(kEnd));
    first ? read_request_line(line, *request_) : read_header_line(line, *request_);
    lines.remove_prefix(std::min(lines.size(), line.size() + kEnd.size()));
  }
  at_ += length + 4;
  set_framing();
  return true;
}

// RFC 9112, 6: where the body ends. Two ways to say it, or one said twice, are an attempt to smuggle a
// request.
void RequestReader::set_framing() {
  const size_t lengths = count(*request_, "content-length"),
               encodings = count(*request_, "transfer-encoding");
  if (count(*request_, "host") > 1 || (request_->keep_alive && count(*request_, "host") == 0))
    refuse("one Host header is needed");
  if (lengths + encodings > 1) refuse("the length of the body is given twice");
  chunked_ = encodings > 0;
  in_trailers_ = false;
  length_ = trailers_ = 0;
  if (chunked_ && ascii_small(request_->header("transfer-encoding")) != "chunked")
    throw HttpRefusal(501, "the only transfer encoding here is chunked");
  if (lengths > 0) {
    const auto length = number(request_->header("content-length"), 10);
    if (!length) refuse("Content-Length is no number");
    if (*length > limits_.body) throw HttpRefusal(413, "the body is longer than this server takes");
    length_ = *length;
  }
  const std::string_view coding = request_->header("content-encoding");
  if (!coding.empty() && ascii_small(coding) != "identity")
    throw HttpRefusal(415, "compressed requests are not read here");
  const std::string connection = ascii_small(request_->header("connection"));
  if (connection.find("close") != std::string::npos)
    request_->keep_alive = false;
  else if (connection.find("keep-alive") != std::string::npos)
    request_->keep_alive = true;
  wants_continue_ = ascii_small(request_->header("expect")) == "100-continue";
}

bool RequestReader::read_body() {
  if (chunked_) return read_chunks();
  if (rest().size() < length_) return false;
  request_->body = rest().substr(0, length_);
  at_ += length_;
  return true;
}

bool RequestReader::read_chunks() {
  for (;;) {
    if (length_ > 0) {
      if (rest().size() < length_ + kEnd.size()) return false;
      if (rest().substr(length_, kEnd.size()) != kEnd) refuse("a chunk is longer than it says");
      request_->body += rest().substr(0, length_);
      at_ += length_ + kEnd.size();
      length_ = 0;
    }
    const std::string_view line = rest().substr(0, rest().find(kEnd));
    if (line.size() > (in_trailers_ ? limits_.head : kLongestChunkLine))
      refuse("a line of a chunk is too long");
    if (line.size() == rest().size()) return false;
    at_ += line.size() + kEnd.size();
    if (in_trailers_) {
      trailers_ += line.size();
      if (trailers_ > limits_.head) throw HttpRefusal(431, "the trailers are longer than this server takes");
      if (line.empty()) return true;
      continue;
    }
    const auto size = number(trimmed(line.substr(0, line.find(';'))), 16);
    if (!size) refuse("a chunk has no length");
    if (*size > limits_.body - request_->body.size())
      throw HttpRefusal(413, "the body is longer than this server takes");
    length_ = *size;
    in_trailers_ = length_ == 0;
  }
}

}  // namespace attune::serve
