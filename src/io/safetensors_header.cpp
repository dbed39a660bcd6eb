#include "io/safetensors_header.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "attune/error.h"
#include "io/stored_shape.h"

namespace attune::safetensors {
namespace {

using nlohmann::json;

struct Type {
  std::string_view name;
  size_t bytes;
  std::optional<DType> dtype;
};
constexpr Type kTypes[] = {
    {"F32", 4, DType::f32},   {"F64", 8, DType::f64}, {"I32", 4, DType::i32}, {"I8", 1, DType::i8},
    {"BF16", 2, DType::bf16}, {"F16", 2, {}},         {"I64", 8, {}},         {"I16", 2, {}},
    {"U64", 8, {}},           {"U32", 4, {}},         {"U16", 2, {}},         {"U8", 1, {}},
    {"BOOL", 1, {}},          {"F8_E4M3", 1, {}},     {"F8_E5M2", 1, {}},
};

// Reads the header token by token, so that anything that does not belong there is refused before it takes //
// memory.
class Reader final : public nlohmann::json_sax<json> {
 public:
  explicit Reader(const std::string& where) : where_(where) {}
  Header header;

  bool null() override { return misplaced("null"); }
  bool boolean(bool) override { return misplaced("a truth value"); }
  bool number_float(double, const std::string& text) override { return misplaced(text); }
  bool binary(binary_t&) override { return misplaced("binary data"); }
  bool number_integer(int64_t value) override { return misplaced(std::to_string(value)); }

  bool number_unsigned(uint64_t value) override {
    if (!list_) return misplaced(std::to_string(value));
    if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
      refuse("{} in '{}' is too large", value, field_);
    if (list_->size() == most()) refuse("'{}' has more than {} numbers", field_, most());
    list_->push_back(static_cast<int64_t>(value));
    return true;
  }

  bool string(std::string& value) override {
    if (depth_ == 2 && in_metadata())
      header.metadata[field_] = std::move(value);
    else if (depth_ == 2 && field_ == "dtype" && !list_)
      type_ = std::move(value);
    else
      return misplaced("the text '" + value + "'");
    return true;
  }

  bool start_object(size_t) override {
    if (depth_ == 2 || list_) return misplaced("an object");
    ++depth_;
    return true;
  }

  bool key(std::string& name) override {
    if (depth_ == 1) {
      name_ = name;
      type_.reset();
      shape_.reset();
      offsets_.reset();
      if (header.tensors.contains(name_) || (in_metadata() && metadata_seen_)) refuse("it appears twice");
      metadata_seen_ |= in_metadata();
      return true;
    }
    field_ = name;
    const bool twice = in_metadata()            ? header.metadata.contains(name)
                       : name == "dtype"        ? type_.has_value()
                       : name == "shape"        ? shape_.has_value()
                       : name == "data_offsets" ? offsets_.has_value()
                                                : false;
    if (twice) refuse("'{}' appears twice", name);
    return true;
  }

  bool end_object() override {
    if (depth_ == 2 && !in_metadata()) add_tensor();
    --depth_;
    return true;
  }

  bool start_array(size_t) override {
    if (depth_ != 2 || in_metadata() || list_) return misplaced("a list");
    if (field_ == "shape")
      list_ = &shape_.emplace();
    else if (field_ == "data_offsets")
      list_ = &offsets_.emplace();
    else
      return misplaced("a list");
    return true;
  }

  bool end_array() override {
    list_ = nullptr;
    return true;
  }

  bool parse_error(size_t position, const std::string&, const json::exception&) override {
    throw UsageError(
        fmt::format("{}: its header is not JSON (byte {}); this is not a safetensors file, or it is damaged",
                    where_, kLengthBytes + position));
  }

 private:
  template <class... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> text, Args&&... args) const {
    const std::string what = fmt::format(text, std::forward<Args>(args)...);
    if (depth_ == 0) throw UsageError(fmt::format("{}: in its header: {}", where_, what));
    throw UsageError(fmt::format("{}: in its header, '{}': {}", where_, name_, what));
  }

  bool misplaced(const std::string& what) const {
    refuse("{} does not belong {}", what, depth_ == 2 ? "in '" + field_ + "'" : "there");
  }

  bool in_metadata() const { return name_ == kMetadata; }
  size_t most() const { return field_ == "shape" ? size_t{Shape::kMaxRank} : 2; }

  void add_tensor() {
    if (!type_ || !shape_ || !offsets_)
      refuse("'{}' is missing", !type_ ? "dtype" : !shape_ ? "shape" : "data_offsets");
    const auto bytes = bytes_of_type(*type_);
    if (!bytes) refuse("'{}' is not a known type of numbers", *type_);
    if (offsets_->size() != 2) refuse("'data_offsets' should be two numbers");
    const Shape shape = stored_shape(*shape_, [&](const char* reason) { refuse("{}", reason); });
    SafeTensors::Info info{*type_, shape, static_cast<size_t>((*offsets_)[0]),
                           static_cast<size_t>((*offsets_)[1])};
    if (info.begin > info.end) refuse("it ends (byte {}) before it begins ({})", info.end, info.begin);
    const size_t needed = static_cast<size_t>(info.shape.size()) * *bytes;
    if (info.end - info.begin != needed)
      refuse("{} numbers of type {} are {} bytes, but it has {}", info.shape.str(), *type_, needed,
             info.end - info.begin);
    header.tensors.emplace(name_, std::move(info));
  }

  const std::string& where_;
  int depth_ = 0;  // 1: the names of tensors, 2: what is said of one
  std::string name_, field_;
  bool metadata_seen_ = false;
  std::optional<std::string> type_;
  std::optional<std::vector<int64_t>> shape_, offsets_;
  std::vector<int64_t>* list_ = nullptr;  // the one being read
};

}  // namespace

std::optional<size_t> bytes_of_type(std::string_view type) {
  const auto* found = std::ranges::find(kTypes, type, &Type::name);
  return found == std::end(kTypes) ? std::nullopt : std::optional(found->bytes);
}

std::string_view type_of(DType dtype) {
  return std::ranges::find(kTypes, std::optional(dtype), &Type::dtype)->name;
}

Header parse_header(std::string_view text, const std::string& where) {
  Reader reader(where);
  json::sax_parse(text.begin(), text.end(), &reader);
  return std::move(reader.header);
}

std::string write_header(const Header& header, const std::string& where) {
  nlohmann::ordered_json root = nlohmann::ordered_json::object();
  if (!header.metadata.empty()) root[std::string(kMetadata)] = header.metadata;
  std::vector<const SafeTensors::Infos::value_type*> in_order;
  for (const auto& entry : header.tensors) in_order.push_back(&entry);
  std::ranges::stable_sort(
      in_order, {}, [](const auto* entry) { return std::pair(entry->second.begin, entry->second.end); });
  for (const auto* entry : in_order) {
    const auto& [name, info] = *entry;
    std::vector<int64_t> sizes;
    for (int i = 0; i < info.shape.rank(); ++i) sizes.push_back(info.shape[i]);
    root[name] = {{"dtype", info.type}, {"shape", sizes}, {"data_offsets", {info.begin, info.end}}};
  }
  try {
    std::string text = root.dump();
    const size_t end = (kLengthBytes + text.size() + kAlignment - 1) / kAlignment * kAlignment;
    text.resize(end - kLengthBytes, ' ');
    return text;
  } catch (const json::type_error&) {
    throw UsageError(where + ": a name or a text about the file is not valid UTF-8");
  }
}

// Inside a JSON string, quotes are written \", so this pattern can match only the key itself.
std::optional<size_t> find_checksum(std::string_view header) {
  const std::string key = fmt::format("\"{}\":\"", kChecksum);
  const size_t begin = header.find(key);
  if (begin == std::string_view::npos) return std::nullopt;
  const size_t digits = begin + key.size();
  if (header.substr(std::min(digits + kNoChecksum.size(), header.size()), 1) != "\"") return std::nullopt;
  return digits;
}

}  // namespace attune::safetensors
