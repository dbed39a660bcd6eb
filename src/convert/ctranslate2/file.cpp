#include "convert/ctranslate2/file.h"

#include <fmt/core.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "attune/error.h"
#include "base/check.h"
#include "io/half.h"
#include "io/stored_shape.h"

namespace attune::ctranslate2 {
namespace {

constexpr uint32_t kVersion = 6;
constexpr std::array<size_t, 6> kBytes{4, 1, 2, 4, 2, 2};

// Reads the file from its beginning; missing bytes are a UsageError that names the position.
class Reader {
 public:
  explicit Reader(std::shared_ptr<const FileBytes> file) : file_(std::move(file)) {}

  template <class... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> text, Args&&... args) const {
    throw UsageError(fmt::format("{}: byte {}: ", file_->path().string(), position_) +
                     fmt::format(text, std::forward<Args>(args)...));
  }

  std::span<const std::byte> take(size_t count, std::string_view what) {
    const std::span<const std::byte> all = file_->bytes();
    if (count > all.size() - position_)
      refuse("the file ends within {}, which has only {} of {} bytes; perhaps a copy or download was cut off",
             what, all.size() - position_, count);
    const auto taken = all.subspan(position_, count);
    position_ += count;
    return taken;
  }

  template <class T>
  T number(std::string_view what) {
    T value;
    std::memcpy(&value, take(sizeof(T), what).data(), sizeof(T));
    return value;
  }

  std::string text(std::string_view what) {
    const auto length = number<uint16_t>(what);
    if (length == 0) refuse("{} has length 0", what);
    const auto bytes = take(length, what);
    std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size() - 1);
    if (bytes.back() != std::byte{0} || text.find('\0') != std::string::npos)
      refuse("{} does not end where its length says", what);
    return text;
  }

  Variable variable(const std::string& name, uint32_t version) {
    const auto rank = number<uint8_t>("a variable's rank");
    std::vector<int64_t> sizes;
    uint64_t count = 1;
    for (int i = 0; i < rank; ++i) {
      sizes.push_back(number<uint32_t>("a variable's size"));
      count *= static_cast<uint64_t>(sizes.back());
      if (count > file_->bytes().size()) refuse("'{}' has more numbers than the file has bytes", name);
    }
    const Type type = type_of(name, version);
    const uint64_t stored = number<uint32_t>("a variable's length");
    const uint64_t bytes = version >= 4 ? stored : stored * ctranslate2::bytes_of(type);
    if (bytes != count * ctranslate2::bytes_of(type))
      refuse("'{}' has {} numbers, but {} bytes", name, count, bytes);
    const Shape shape = stored_shape(sizes, [&](const char* reason) { refuse("'{}': {}", name, reason); });
    return {type, shape, take(bytes, "'" + name + "'"), file_};
  }

  void at_end() const {
    if (position_ != file_->bytes().size())
      refuse("{} bytes after the last variable", file_->bytes().size() - position_);
  }

 private:
  Type type_of(const std::string& name, uint32_t version) {
    const auto code = number<uint8_t>("a variable's type");
    if (version >= 4 && code < kBytes.size()) return static_cast<Type>(code);
    if (version < 4 && code == 4) return Type::f32;
    if (version < 4 && code == 2) return Type::i16;
    if (version < 4 && code == 1) return Type::i8;
    refuse("the numbers of '{}' have the unknown type {}", name, code);
  }

  std::shared_ptr<const FileBytes> file_;
  size_t position_ = 0;
};

template <class T, class Convert>
void convert(const Variable& from, std::span<float> to, const Convert& value) {
  for (size_t i = 0; i < to.size(); ++i) {
    T x;
    std::memcpy(&x, from.bytes.data() + i * sizeof(T), sizeof(T));
    to[i] = static_cast<float>(value(x));
  }
}

Tensor widened(const Variable& variable) {
  const Tensor tensor(variable.shape);
  const std::span<float> to = tensor.span<float>();
  const auto same = [](auto x) { return x; };
  switch (variable.type) {
    case Type::f32: convert<float>(variable, to, same); break;
    case Type::i8: convert<int8_t>(variable, to, same); break;
    case Type::i16: convert<int16_t>(variable, to, same); break;
    case Type::i32: convert<int32_t>(variable, to, same); break;
    case Type::f16: convert<uint16_t>(variable, to, from_half); break;
    case Type::bf16:
      convert<uint16_t>(variable, to, [](uint16_t x) { return std::bit_cast<float>(uint32_t{x} << 16U); });
      break;
  }
  return tensor;
}

class Writer {
 public:
  explicit Writer(const std::filesystem::path& path) : file_(path), path_(path) {}

  template <class T>
  void number(size_t value) {
    check(value <= std::numeric_limits<T>::max(), "{}: {} is too large for the format", path_.string(),
          value);
    const auto bytes = std::bit_cast<std::array<std::byte, sizeof(T)>>(static_cast<T>(value));
    file_.write(bytes);
  }
  void text(std::string_view text) {
    number<uint16_t>(text.size() + 1);
    file_.write(text);
    number<uint8_t>(0);
  }
  void bytes(std::span<const std::byte> bytes) { file_.write(bytes); }
  void commit() { file_.commit(); }

 private:
  AtomicFile file_;
  std::filesystem::path path_;
};

}  // namespace

size_t bytes_of(Type type) { return kBytes[static_cast<size_t>(type)]; }

Variable variable_of(const Tensor& tensor) {
  const auto kept = std::make_shared<const Tensor>(tensor.contiguous() ? tensor.detach() : tensor.clone());
  if (tensor.dtype() == DType::i8)
    return {Type::i8, tensor.shape(), std::as_bytes(kept->span<int8_t>()), kept};
  return {Type::f32, tensor.shape(), std::as_bytes(kept->span<float>()), kept};
}

template <class T>
Variable scalar(T value) {
  const auto kept = std::make_shared<const T>(value);
  const Type type = std::is_same_v<T, float> ? Type::f32
                    : sizeof(T) == 1         ? Type::i8
                    : sizeof(T) == 2         ? Type::i16
                                             : Type::i32;
  return {type, Shape(), std::as_bytes(std::span(kept.get(), 1)), kept};
}
template Variable scalar<int8_t>(int8_t);
template Variable scalar<int16_t>(int16_t);
template Variable scalar<int32_t>(int32_t);
template Variable scalar<float>(float);

const Variable* Model::find(std::string_view name) const {
  if (const auto alias = aliases.find(name); alias != aliases.end()) name = alias->second;
  const auto found = variables.find(name);
  return found == variables.end() ? nullptr : &found->second;
}

std::optional<double> Model::number(std::string_view name) const {
  const Variable* variable = find(name);
  if (variable == nullptr) return std::nullopt;
  if (variable->shape.size() != 1) throw UsageError(fmt::format("'{}' should be a single number", name));
  return widened(*variable).item();
}

Tensor Model::tensor(std::string_view name) const {
  if (const auto alias = aliases.find(name); alias != aliases.end()) return tensor(alias->second);
  const Variable* variable = find(name);
  if (variable == nullptr) throw UsageError(fmt::format("there is no variable '{}'", name));
  const Tensor tensor = widened(*variable);
  if (variable->type != Type::i8 && variable->type != Type::i16) return tensor;
  const std::string scale_name = std::string(name) + "_scale";
  const Variable* scales = find(scale_name);
  if (scales == nullptr) throw UsageError(fmt::format("there is no variable '{}'", scale_name));
  const Tensor scale = widened(*scales);
  if (scale.size() != 1 && scale.size() != tensor.rows())
    throw UsageError(fmt::format("'{}' has {} rows, but {} scales", name, tensor.rows(), scale.size()));
  for (int64_t r = 0; r < tensor.rows(); ++r)
    for (float& x : tensor.row<float>(r)) x /= scale.data<float>()[scale.size() == 1 ? 0 : r];
  return tensor;
}

Model read_model(const std::filesystem::path& path) {
  Reader in(FileBytes::map(path));
  Model model;
  model.version = in.number<uint32_t>("the version");
  if (model.version < 2 || model.version > kVersion)
    in.refuse("this is not a CTranslate2 model of version 2 to {}: its version would be {}", kVersion,
              model.version);
  model.specification = in.text("the specification's name");
  model.revision = in.number<uint32_t>("the revision");
  const auto count = in.number<uint32_t>("the number of variables");
  for (uint32_t i = 0; i < count; ++i) {
    const std::string name = in.text("a variable's name");
    if (!model.variables.emplace(name, in.variable(name, model.version)).second)
      in.refuse("'{}' appears twice", name);
  }
  const auto aliases = model.version >= 3 ? in.number<uint32_t>("the number of aliases") : 0;
  for (uint32_t i = 0; i < aliases; ++i) {
    const std::string alias = in.text("an alias");
    const std::string name = in.text("the name behind an alias");
    if (!model.variables.contains(name)) in.refuse("'{}' is an alias of '{}', which is missing", alias, name);
    model.aliases[alias] = name;
  }
  in.at_end();
  return model;
}

void write_model(const std::filesystem::path& path, const Model& model) {
  Writer out(path);
  out.number<uint32_t>(kVersion);
  out.text(model.specification);
  out.number<uint32_t>(model.revision);
  out.number<uint32_t>(model.variables.size());
  for (const auto& [name, variable] : model.variables) {
    out.text(name);
    out.number<uint8_t>(static_cast<size_t>(variable.shape.rank()));
    for (int i = 0; i < variable.shape.rank(); ++i)
      out.number<uint32_t>(static_cast<size_t>(variable.shape[i]));
    out.number<uint8_t>(static_cast<size_t>(variable.type));
    out.number<uint32_t>(variable.bytes.size());
    out.bytes(variable.bytes);
  }
  out.number<uint32_t>(model.aliases.size());
  for (const auto& [alias, name] : model.aliases) {
    out.text(alias);
    out.text(name);
  }
  out.commit();
}

}  // namespace attune::ctranslate2
