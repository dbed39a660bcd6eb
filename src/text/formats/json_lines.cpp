// JSON lines: an object a line. Its fields are the texts in it; those of objects in it are named as in
// "translation.en".
#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/ascii.h"
#include "text/bytes/byte_lines.h"
#include "text/formats/corpus_format.h"

namespace attune {
namespace {

using Json = nlohmann::json;

// Keeps the texts and where they stand; lists and what is in them are passed over.
class Texts : public nlohmann::json_sax<Json> {
 public:
  std::vector<Field> fields;
  std::string fault;

  bool null() override { return leave(); }
  bool boolean(bool) override { return leave(); }
  bool number_integer(number_integer_t) override { return leave(); }
  bool number_unsigned(number_unsigned_t) override { return leave(); }
  bool number_float(number_float_t, const string_t&) override { return leave(); }
  bool binary(binary_t&) override { return leave(); }

  bool string(string_t& text) override {
    if (lists_ == 0 && depth_ > 0) fields.push_back({path_, std::move(text)});
    return leave();
  }
  bool key(string_t& name) override {
    if (lists_ > 0) return true;
    names_.push_back(path_.size());
    if (!path_.empty()) path_ += '.';
    path_ += name;
    return path_.size() <= kLongestPath || refuse(fmt::format("a name has more than {} bytes", kLongestPath));
  }
  bool start_object(size_t) override { return enter(); }
  bool end_object() override { return end(); }
  bool start_array(size_t) override {
    if (depth_ == 0) return refuse("it is a list; an object was expected");
    ++lists_;
    return enter();
  }
  bool end_array() override {
    --lists_;
    return end();
  }
  bool parse_error(size_t at, const std::string&, const Json::exception&) override {
    return refuse(fmt::format("byte {} is not JSON as it should be", at));
  }

 private:
  static constexpr int kDeepest = 100;
  static constexpr size_t kLongestPath = 1000;

  bool refuse(std::string why) {
    if (fault.empty()) fault = std::move(why);
    return false;
  }
  bool enter() {
    return ++depth_ <= kDeepest || refuse(fmt::format("it is nested more than {} deep", kDeepest));
  }
  bool end() {
    --depth_;
    return depth_ == 0 || leave();
  }
  // After a value of an object the path is again what it was before its name.
  bool leave() {
    if (depth_ == 0) return refuse("it is not an object");
    if (lists_ > 0 || names_.empty()) return true;
    path_.resize(names_.back());
    names_.pop_back();
    return true;
  }

  std::string path_;
  std::vector<size_t> names_;  // how long the path was before each
  int depth_ = 0, lists_ = 0;
};

void read_json_lines(const UnitInput& input, const TakeUnit& take) {
  for (ByteLines lines(input.text); !lines.ended();) {
    Unit unit{.line = lines.number() + 1};
    const std::string line = lines.next(kLongestUnit);
    if (std::ranges::all_of(line, [](char c) { return is_ascii_blank_or_control(c); })) continue;
    Texts texts;
    if (line.size() > kLongestUnit)
      texts.fault = fmt::format("the line has more than {} MB", kLongestUnit >> 20);
    else
      Json::sax_parse(line, &texts);
    if (!texts.fault.empty()) {
      unit.state = UnitState::bad;
      unit.reason = texts.fault;
    }
    unit.fields = std::move(texts.fields);
    take(std::move(unit));
  }
}

// The first line is an object. A longer one is known by its name alone.
bool begins_with_object(std::string_view head) {
  const size_t end = head.find('\n');
  if (!head.starts_with('{') || (end == std::string_view::npos && head.size() >= kFormatHead)) return false;
  return Json::accept(head.substr(0, end));
}

const RegisterFormat registered{{.name = "JSON lines",
                                 .extensions = {".jsonl", ".ndjson", ".json"},
                                 .names = FieldNames::columns,
                                 .begins = begins_with_object,
                                 .read = read_json_lines}};

}  // namespace
}  // namespace attune
