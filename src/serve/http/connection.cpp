#include "serve/http/connection.h"

#include <array>
#include <utility>

namespace attune::serve {
namespace {

constexpr size_t kReadAtOnce = 16 << 10, kDrainAtOnce = 256 << 10;

}  // namespace

Connection::Connection(Descriptor socket, std::unique_ptr<Transport> transport, std::string address,
                       const HttpLimits& limits, const ConnectionTimes& times)
    : socket_(std::move(socket)),
      transport_(std::move(transport)),
      address_(std::move(address)),
      reader_(limits),
      times_(times),
      deadline_(Clock::now() + times.request),
      idle_since_(Clock::now()) {}

std::optional<HttpRequest> Connection::advance() {
  if (state_ == State::closed) return {};
  flush();
  std::array<char, kReadAtOnce> bytes;
  for (size_t drained = 0; state_ == State::draining && drained < kDrainAtOnce;) {
    const Transfer transfer = transport_->read(bytes);
    drained += transfer.bytes;
    if (transfer.state == Transfer::State::ended) close();
    if (transfer.state != Transfer::State::moved) return {};
  }
  while (state_ == State::reading) {
    if (auto request = reader_.next()) {
      state_ = State::handling;
      begun_ = ended_ = last_ = false;
      request->address = address_;
      request->life = life_.get_token();
      return request;
    }
    if (reader_.wants_continue()) {
      output_ += "HTTP/1.1 100 Continue\r\n\r\n";
      flush();
    }
    const Transfer transfer = transport_->read(bytes);
    read_needs_write_ = transfer.state == Transfer::State::wait_to_write;
    if (transfer.state == Transfer::State::ended) {
      if (!reader_.empty()) throw HttpRefusal(400, "Invalid request: it ends too early");
      close();
    }
    if (transfer.state != Transfer::State::moved) return {};
    if (!std::exchange(begun_, true)) deadline_ = Clock::now() + times_.request;
    reader_.add({bytes.data(), transfer.bytes});
  }
  return {};
}

void Connection::answer(std::string_view bytes, bool end, bool last) {
  if (state_ == State::closed || state_ == State::draining) return;
  state_ = State::handling;
  if (output_.empty()) deadline_ = Clock::now() + times_.write;
  output_ += bytes;
  ended_ = end;
  last_ = last;
  flush();
}

void Connection::flush() {
  size_t written = 0;
  while (written < output_.size()) {
    const Transfer transfer = transport_->write(std::string_view(output_).substr(written));
    write_needs_read_ = transfer.state == Transfer::State::wait_to_read;
    if (transfer.state == Transfer::State::ended) return close();
    if (transfer.state != Transfer::State::moved) break;
    written += transfer.bytes;
    deadline_ = Clock::now() + times_.write;
  }
  output_.erase(0, written);
  if (state_ != State::handling || !ended_ || !output_.empty()) return;
  if (last_) {
    drain();
  } else {
    state_ = State::reading;
    begun_ = !reader_.empty();
    idle_since_ = Clock::now();
    deadline_ = idle_since_ + (begun_ ? times_.request : times_.idle);
  }
}

bool Connection::late(Clock::time_point now) {
  if (!due(now)) return false;
  if (state_ == State::reading && !reader_.empty()) return true;
  if (state_ != State::handling || !output_.empty()) close();
  return false;
}

void Connection::stop(Clock::time_point now) {
  if (state_ == State::reading && reader_.empty() && now >= idle_since_ + times_.farewell) drain();
}

void Connection::half_closed() {
  half_closed_ = true;
  give_up();
}

void Connection::drain() {
  transport_->end_writing();
  state_ = State::draining;
  deadline_ = Clock::now() + times_.linger;
}

bool Connection::wants_read() const {
  return state_ == State::reading || state_ == State::draining || (write_needs_read_ && !output_.empty());
}

bool Connection::wants_write() const { return (!output_.empty() && !write_needs_read_) || read_needs_write_; }

void Connection::close() {
  state_ = State::closed;
  give_up();
}

}  // namespace attune::serve
