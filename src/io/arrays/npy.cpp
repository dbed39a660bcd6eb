#include "io/arrays/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>

#include "attune/error.h"
#include "io/half.h"
#include "io/stored_shape.h"

namespace attune {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::array<std::string_view, 12> kTypes{"f2", "f4", "f8", "i1", "i2", "i4",
                                                  "i8", "u1", "u2", "u4", "u8", "b1"};

// {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
class Header {
 public:
  Header(std::string_view text, const std::string& name) : rest_(text), name_(name) {}

  NpyArray parse() {
    NpyArray array;
    bool type = false, order = false, shape = false;
    expect('{');
    while (!follows('}')) {
      const std::string_view key = quoted();
      expect(':');
      if (key == "descr") {
        array.type = type_of(quoted());
        type = true;
      } else if (key == "fortran_order") {
        array.fortran = truth();
        order = true;
      } else if (key == "shape") {
        array.shape = sizes();
        shape = true;
      } else {
        refuse("the header has the unknown key '{}'", key);
      }
      if (!follows(',')) {
        expect('}');
        break;
      }
    }
    if (!type || !order || !shape) refuse("the header needs 'descr', 'fortran_order' and 'shape'");
    skip_blanks();
    if (!rest_.empty()) refuse("the header goes on after its '}}'");
    return array;
  }

 private:
  template <class... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> text, Args&&... args) const {
    throw UsageError(fmt::format("{}: {}", name_, fmt::format(text, std::forward<Args>(args)...)));
  }

  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \n"), rest_.size())); }

  bool follows(char c) {
    skip_blanks();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void expect(char c) {
    if (!follows(c)) refuse("the header should have '{}' before '{}'", c, rest_.substr(0, 20));
  }

  std::string_view quoted() {
    skip_blanks();
    const char quote = rest_.empty() ? '\0' : rest_[0];
    if (quote != '\'' && quote != '"')
      refuse("the header should have a text in quotes at '{}'; arrays of records are not supported",
             rest_.substr(0, 20));
    const size_t end = rest_.find(quote, 1);
    if (end == std::string_view::npos) refuse("the header ends within a text in quotes");
    const std::string_view text = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return text;
  }

  bool truth() {
    skip_blanks();
    for (const std::string_view word : {"True", "False"})
      if (rest_.starts_with(word)) {
        rest_.remove_prefix(word.size());
        return word == "True";
      }
    refuse("'fortran_order' should be True or False");
  }

  std::vector<int64_t> sizes() {
    std::vector<int64_t> all;
    expect('(');
    while (!follows(')')) {
      skip_blanks();
      int64_t size = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), size);
      if (error != std::errc() || size < 0)
        refuse("'shape' should hold sizes, not '{}'", rest_.substr(0, 20));
      all.push_back(size);
      rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
      if (!follows(',')) {
        expect(')');
        break;
      }
    }
    return all;
  }

  NpyType type_of(std::string_view text) const {
    if (text.starts_with('>')) refuse("the numbers are big-endian ('{}'), which is not supported", text);
    const std::string_view bare = text.substr(!text.empty() && (text[0] == '<' || text[0] == '|') ? 1 : 0);
    for (size_t i = 0; i < kTypes.size(); ++i)
      if (kTypes[i] == bare) return static_cast<NpyType>(i);
    refuse("the numbers have the type '{}', which is not supported", text);
  }

  std::string_view rest_;
  const std::string& name_;
};

// The number of elements; nothing if it is not a sensible number.
std::optional<uint64_t> product(const std::vector<int64_t>& shape) {
  uint64_t count = 1;
  for (const int64_t size : shape) {
    const auto factor = static_cast<uint64_t>(size);
    if (factor != 0 && count > std::numeric_limits<uint64_t>::max() / 16 / factor) return std::nullopt;
    count *= factor;
  }
  return count;
}

template <class T, class Value>
void convert(std::span<const std::byte> from, std::span<float> to, const Value& value) {
  for (size_t i = 0; i < to.size(); ++i) {
    T x;
    std::memcpy(&x, from.data() + i * sizeof(T), sizeof(T));
    to[i] = static_cast<float>(value(x));
  }
}

// From column-major to row-major order.
Tensor reordered(const Tensor& from) {
  const Shape& shape = from.shape();
  Tensor to(shape);
  std::array<int64_t, Shape::kMaxRank> index{};
  for (int64_t i = 0; i < from.size(); ++i) {
    int64_t place = 0;
    for (int d = 0; d < shape.rank(); ++d) place = place * shape[d] + index[static_cast<size_t>(d)];
    to.data<float>()[place] = from.data<float>()[i];
    for (int d = 0; d < shape.rank() && ++index[static_cast<size_t>(d)] == shape[d]; ++d)
      index[static_cast<size_t>(d)] = 0;
  }
  return to;
}

}  // namespace

size_t bytes_of(NpyType type) { return static_cast<size_t>(kTypes[static_cast<size_t>(type)][1] - '0'); }

void to_floats(NpyType type, std::span<const std::byte> from, std::span<float> to) {
  const auto same = [](auto x) { return x; };
  switch (type) {
    case NpyType::f2: return convert<uint16_t>(from, to, from_half);
    case NpyType::f4: return convert<float>(from, to, same);
    case NpyType::f8: return convert<double>(from, to, same);
    case NpyType::i1: return convert<int8_t>(from, to, same);
    case NpyType::i2: return convert<int16_t>(from, to, same);
    case NpyType::i4: return convert<int32_t>(from, to, same);
    case NpyType::i8: return convert<int64_t>(from, to, same);
    case NpyType::u1: return convert<uint8_t>(from, to, same);
    case NpyType::u2: return convert<uint16_t>(from, to, same);
    case NpyType::u4: return convert<uint32_t>(from, to, same);
    case NpyType::u8: return convert<uint64_t>(from, to, same);
    case NpyType::b1: return convert<uint8_t>(from, to, [](uint8_t x) { return x != 0 ? 1 : 0; });
  }
}

int64_t NpyArray::size() const { return static_cast<int64_t>(numbers.size() / bytes_of(type)); }

NpyArray parse_npy(std::span<const std::byte> bytes, const std::string& name) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!text.starts_with(kMagic))
    throw UsageError(fmt::format("{}: this is not an array of NumPy (.npy)", name));
  const size_t version = bytes.size() > 6 ? static_cast<size_t>(bytes[6]) : 0;
  const size_t prefix = version == 1 ? 10 : 12;
  if (bytes.size() >= 8 && (version < 1 || version > 3))
    throw UsageError(fmt::format("{}: this .npy has version {}; 1 to 3 are supported", name, version));
  if (bytes.size() < prefix) throw UsageError(fmt::format("{}: the file ends within its first bytes", name));
  uint32_t length = 0;
  std::memcpy(&length, bytes.data() + 8, version == 1 ? 2 : 4);
  if (length > bytes.size() - prefix)
    throw UsageError(fmt::format("{}: the header should have {} bytes, but the file has only {}", name,
                                 length, bytes.size()));
  NpyArray array = Header(text.substr(prefix, length), name).parse();
  array.numbers = bytes.subspan(prefix + length);
  const auto count = product(array.shape);
  if (!count || *count * bytes_of(array.type) != array.numbers.size())
    throw UsageError(fmt::format(
        "{}: the shape [{}] of type {} does not fit the {} bytes of numbers; perhaps a "
        "copy or download was cut off",
        name, fmt::join(array.shape, ", "), kTypes[static_cast<size_t>(array.type)], array.numbers.size()));
  return array;
}

Tensor tensor_of(const NpyArray& array, const std::string& name) {
  const Tensor tensor{stored_shape(
      array.shape, [&](const char* reason) { throw UsageError(fmt::format("{}: {}", name, reason)); })};
  to_floats(array.type, array.numbers, tensor.span<float>());
  return array.fortran && array.shape.size() > 1 ? reordered(tensor) : tensor;
}

}  // namespace attune
