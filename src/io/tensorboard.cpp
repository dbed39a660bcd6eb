#include "io/tensorboard.h"

#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <system_error>

#include "io/files/crc32c.h"

namespace attune {
namespace {

// ---- Protocol buffers: a message is its fields one after the other, each with its number and kind in front.
// The numbers below are those of TensorFlow's event.proto, summary.proto, tensor.proto and
// tensor_shape.proto.
enum Kind : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

template <class T>
std::string little_endian(T value) {
  const auto bytes = std::bit_cast<std::array<char, sizeof(T)>>(value);
  return {bytes.begin(), bytes.end()};
}

std::string varint(uint64_t value) {
  std::string bytes;
  for (; value >= 128; value >>= 7) bytes += static_cast<char>(value | 128);
  return bytes + static_cast<char>(value);
}

std::string key(uint64_t number, Kind kind) { return varint(number << 3 | kind); }
std::string number_field(uint64_t number, int64_t value) {
  return key(number, kVarint) + varint(static_cast<uint64_t>(value));
}
std::string float_field(uint64_t number, float value) { return key(number, kFixed32) + little_endian(value); }
std::string double_field(uint64_t number, double value) {
  return key(number, kFixed64) + little_endian(value);
}
std::string bytes_field(uint64_t number, std::string_view bytes) {
  return key(number, kBytes) + varint(bytes.size()) + std::string(bytes);
}

// ---- TFRecord: length, its checksum, the message, its checksum.
std::string masked_checksum(std::string_view bytes) {
  return little_endian(std::rotr(crc32c(std::as_bytes(std::span(bytes))), 15) + 0xA282EAD8u);
}

std::string framed(std::string_view message) {
  const std::string length = little_endian(uint64_t{message.size()});
  return length + masked_checksum(length) + std::string(message) + masked_checksum(message);
}

std::string event(double wall_time, int64_t step, const std::string& what) {
  return framed(double_field(1, wall_time) + number_field(2, step) + what);
}

std::string summary(double wall_time, int64_t step, const std::string& value) {
  return event(wall_time, step, bytes_field(5, bytes_field(1, value)));
}

void append(AppendFile& file, const std::string& records) { file.append(std::as_bytes(std::span(records))); }

std::filesystem::path new_file(const std::filesystem::path& directory) {
  static std::atomic<int> count = 0;
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) fail_at(directory, "make", error.value());
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return directory / fmt::format("events.out.tfevents.{:010}.{}.{}.{}", static_cast<int64_t>(wall_time_now()),
                                 host.data(), getpid(), count++);
}

}  // namespace

double wall_time_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string start_records(int64_t first, double wall_time) {
  constexpr int64_t kStart = 1;
  return event(wall_time, 0, bytes_field(3, "brain.Event:2")) +
         event(wall_time, first, bytes_field(7, number_field(1, kStart)));
}

std::string scalar_record(std::string_view tag, int64_t step, double value, double wall_time) {
  return summary(wall_time, step, bytes_field(1, tag) + float_field(2, static_cast<float>(value)));
}

// A tensor of one string, marked for the plugin "text".
std::string text_record(std::string_view tag, int64_t step, std::string_view markdown, double wall_time) {
  constexpr int64_t kString = 7;
  const std::string shape = bytes_field(2, number_field(1, 1));
  const std::string tensor = number_field(1, kString) + bytes_field(2, shape) + bytes_field(8, markdown);
  const std::string metadata = bytes_field(1, bytes_field(1, "text"));
  return summary(wall_time, step, bytes_field(1, tag) + bytes_field(8, tensor) + bytes_field(9, metadata));
}

EventWriter::EventWriter(const std::filesystem::path& directory, int64_t first) : file_(new_file(directory)) {
  append(file_, start_records(first, wall_time_now()));
}

void EventWriter::scalar(std::string_view tag, int64_t step, double value, double wall_time) {
  append(file_, scalar_record(tag, step, value, wall_time));
}

void EventWriter::text(std::string_view tag, int64_t step, std::string_view markdown, double wall_time) {
  append(file_, text_record(tag, step, markdown, wall_time));
}

}  // namespace attune
