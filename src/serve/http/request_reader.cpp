#include "serve/http/request_reader.h"

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

// A number without a sign; nothing if the text is not a number or does not fit.
std::optional<size_t> number(std::string_view digits, int base) {
  size_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) return {};
  return value;
}

void read_request_line(std::string_view line, HttpRequest& request) {
  const size_t first = line.find(' '), last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) refuse("this is not a request line");
  const std::string_view method = line.substr(0, first), version = line.substr(last + 1);
  std::string_view target = line.substr(first + 1, last - first - 1);
  if (!is_token(method) || method.size() > kLongestMethod) refuse("this is not a request line");
  if (!version.starts_with("HTTP/")) refuse("this is not a request line");
  if (version != "HTTP/1.1" && version != "HTTP/1.0") throw HttpRefusal(505, "this server speaks HTTP/1.1");
  if (target.size() > kLongestTarget) throw HttpRefusal(414, "the address is too long");
  if (!std::ranges::all_of(target, is_ascii_visible) || (target != "*" && !target.starts_with('/')))
    refuse("the address should begin with /");
  request.method = method;
  request.http_1_0 = version == "HTTP/1.0";
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

// Whether a list contains that word; RFC 9110, 5.6.1.
bool lists(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    if (ascii_small(trimmed(list.substr(0, comma))) == word) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

// RFC 9112, 7.1: hexadecimal digits, then optional extensions, which are ignored: *(BWS ";" BWS ...). A proxy
// in front of this server could read anything else as another length.
size_t chunk_size(std::string_view line) {
  const size_t digits = std::min(line.find_first_not_of("0123456789abcdefABCDEF"), line.size());
  const std::string_view rest = line.substr(digits);
  const auto printable = [](char c) { return c == '\t' || (byte_of(c) >= 0x20 && c != 0x7F); };
  if (!rest.empty() && (!trimmed(rest).starts_with(';') || !std::ranges::all_of(rest, printable)))
    refuse("a chunk has no length, or more than one");
  const auto size = number(line.substr(0, digits), 16);
  if (!size) refuse("a chunk has no length");
  return *size;
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
  if (at_ == buffer_.size())
    std::string().swap(buffer_);  // many connections wait for a long time
  else
    buffer_.erase(0, at_);
  at_ = 0;
  return whole;
}

bool RequestReader::read_head() {
  while (rest().starts_with(kEnd)) at_ += kEnd.size();  // RFC 9112, 2.2: empty lines before a request
  constexpr std::string_view kHeadEnd = "\r\n\r\n";
  const size_t length = rest().find(kHeadEnd);
  const size_t least = rest().size() - std::min(rest().size(), kHeadEnd.size() - 1);  // if the end is cut
  if (std::min(length, least) > limits_.head)
    throw HttpRefusal(431, "the headers are longer than this server accepts");
  if (length == std::string_view::npos) return false;
  std::string_view lines = rest().substr(0, length);
  if (lines.find('\0') != std::string_view::npos) refuse("a header has control characters");
  request_.emplace();
  for (bool first = true; !lines.empty(); first = false) {
    const std::string_view line = lines.substr(0, lines.find(kEnd));
    first ? read_request_line(line, *request_) : read_header_line(line, *request_);
    lines.remove_prefix(std::min(lines.size(), line.size() + kEnd.size()));
  }
  at_ += length + kHeadEnd.size();
  set_framing();
  return true;
}

// RFC 9112, 6: where the body ends. If it is given in two ways, or twice, somebody may be smuggling a
// request.
void RequestReader::set_framing() {
  const size_t lengths = count(*request_, "content-length"),
               encodings = count(*request_, "transfer-encoding"), hosts = count(*request_, "host");
  if (hosts > 1 || (!request_->http_1_0 && hosts == 0)) refuse("one Host header is needed");
  if (lengths + encodings > 1) refuse("the length of the body is given twice");
  if (encodings > 0 && request_->http_1_0) refuse("HTTP/1.0 has no Transfer-Encoding");
  chunked_ = encodings > 0;
  in_trailers_ = behind_chunk_ = false;
  length_ = trailers_ = 0;
  if (chunked_ && ascii_small(request_->header("transfer-encoding")) != "chunked")
    throw HttpRefusal(501, "the only supported transfer encoding is chunked");
  if (lengths > 0) {
    const auto length = number(request_->header("content-length"), 10);
    if (!length) refuse("Content-Length is not a number");
    if (*length > limits_.body) throw HttpRefusal(413, "the body is longer than this server takes");
    length_ = *length;
    request_->body.reserve(length_);
  }
  const std::string_view coding = request_->header("content-encoding");
  if (!coding.empty() && ascii_small(coding) != "identity")
    throw HttpRefusal(415, "compressed requests are not supported");
  const std::string connection = request_->all_headers("connection");
  request_->keep_alive =
      !lists(connection, "close") && (!request_->http_1_0 || lists(connection, "keep-alive"));
  wants_continue_ = !request_->http_1_0 && ascii_small(request_->header("expect")) == "100-continue";
}

bool RequestReader::read_body() { return chunked_ ? read_chunks() : read_data(); }

// Moves what has arrived of the body or chunk to the request; true if it is complete.
bool RequestReader::read_data() {
  const std::string_view data = rest().substr(0, length_);
  std::string& body = request_->body;
  if (body.size() + data.size() > body.capacity())
    body.reserve(std::min(limits_.body, std::max(2 * body.capacity(), body.size() + data.size())));
  body += data;
  at_ += data.size();
  length_ -= data.size();
  return length_ == 0;
}

bool RequestReader::read_chunks() {
  for (;;) {
    if (!read_data()) return false;
    if (behind_chunk_) {
      if (rest().size() < kEnd.size()) return false;
      if (!rest().starts_with(kEnd)) refuse("a chunk is longer than it says");
      at_ += kEnd.size();
      behind_chunk_ = false;
    }
    const std::string_view line = rest().substr(0, rest().find(kEnd));
    if (line.size() > (in_trailers_ ? limits_.head : kLongestChunkLine))
      refuse("a line of a chunk is too long");
    if (line.size() == rest().size()) return false;
    at_ += line.size() + kEnd.size();
    if (in_trailers_) {
      if (read_trailer(line)) return true;
      continue;
    }
    const size_t size = chunk_size(line);
    if (size > limits_.body - request_->body.size())
      throw HttpRefusal(413, "the body is longer than this server takes");
    length_ = size;
    in_trailers_ = length_ == 0;
    behind_chunk_ = length_ > 0;
  }
}

// They have the form of headers and are ignored. True for the empty line after them.
bool RequestReader::read_trailer(std::string_view line) {
  trailers_ += line.size();
  if (trailers_ > limits_.head) throw HttpRefusal(431, "the trailers are longer than this server accepts");
  if (line.empty()) return true;
  HttpRequest unused;
  read_header_line(line, unused);
  return false;
}

}  // namespace attune::serve
