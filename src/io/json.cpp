#include "io/json.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "base/nearest.h"

namespace attune {
namespace {

using json = nlohmann::ordered_json;

class Writer final : public Fields {
 public:
  explicit Writer(json& object) : object_(object) {}

 private:
  struct ToJson {
    json operator()(const bool* v) const { return *v; }
    json operator()(const int64_t* v) const { return *v; }
    json operator()(const double* v) const {  // JSON has no infinity
      return std::isfinite(*v) ? json(*v) : json(fmt::format("{}", *v));
    }
    json operator()(const std::string* v) const { return *v; }
    json operator()(const std::vector<std::string>* v) const { return *v; }
    json operator()(const Choice& v) const { return v.word; }
  };

  void visit(std::string_view name, const Value& value, std::string_view) override {
    const bool fresh = object_.emplace(name, std::visit(ToJson(), value)).second;
    check(fresh, "JSON: the key '{}' is used twice", name);
  }

  json& object_;
};

std::string dump(const json& document, int indent) {
  try {
    return document.dump(indent);
  } catch (const json::type_error&) {
    fail("JSON: a value is not valid UTF-8");
  }
}

// Counts the lines while the parser reads.
struct Position {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  const char* at;
  int64_t* line;

  reference operator*() const { return *at; }
  Position& operator++() {
    if (*at++ == '\n') ++*line;
    return *this;
  }
  bool operator==(const Position& other) const { return at == other.at; }
};

// Reads a document token by token, so that anything that does not belong there is refused before it takes //
// memory.
class Reader final : public nlohmann::json_sax<json> {
 public:
  explicit Reader(std::string_view name) : name_(name) {}
  SectionEntries sections;
  int64_t line = 1;

  bool null() override { return value("null"); }
  bool boolean(bool v) override { return value(v ? "true" : "false"); }
  bool number_integer(int64_t v) override { return value(std::to_string(v)); }
  bool number_unsigned(uint64_t v) override { return value(std::to_string(v)); }
  bool number_float(double, const std::string& text) override { return value(text); }
  bool string(std::string& v) override { return value(std::move(v)); }
  bool binary(binary_t&) override { return refuse("binary data does not belong here"); }

  bool start_object(size_t) override {
    if (depth_ == 2 || list_) return refuse("'{}' should be a value or a list of values", entry_.key);
    if (++depth_ == 1) return true;
    section_ = entry_.key;
    if (section_.empty()) return refuse("a section should have a name");
    if (!sections.try_emplace(section_).second) return refuse("the section '{}' appears twice", section_);
    return true;
  }
  bool key(std::string& name) override {
    entry_ = {name, {}, false, fmt::format("{}:{}", name_, line)};
    return true;
  }
  bool end_object() override {
    --depth_;
    section_.clear();
    return true;
  }
  bool start_array(size_t) override {
    if (depth_ == 0) return no_object();
    if (list_) return refuse("'{}' should be a list of plain values", entry_.key);
    list_ = entry_.list = true;
    return true;
  }
  bool end_array() override {
    list_ = false;
    return add();
  }
  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception&) override {
    return refuse("this is not JSON, or it is damaged or incomplete");
  }

 private:
  template <class... Args>
  [[noreturn]] bool refuse(fmt::format_string<Args...> text, Args&&... args) const {
    throw UsageError(fmt::format("{}:{}: {}", name_, line, fmt::format(text, std::forward<Args>(args)...)));
  }
  [[noreturn]] bool no_object() const { refuse("there should be an object: {{\"key\": value, ...}}"); }

  bool value(std::string text) {
    if (depth_ == 0) return no_object();
    entry_.values.push_back(std::move(text));
    return list_ || add();
  }
  bool add() {
    sections[section_].push_back(std::move(entry_));
    return true;
  }

  std::string_view name_;
  int depth_ = 0;  // 1: the document, 2: a section
  bool list_ = false;
  std::string section_;
  Entry entry_;  // the one being read
};

}  // namespace

std::string write_json(std::span<const Section> sections) {
  json document = json::object();
  for (const Section& section : sections) {
    json object = json::object();
    Writer writer(section.name.empty() ? document : object);
    section.fields(writer);
    if (section.name.empty()) continue;
    const bool fresh = document.emplace(section.name, std::move(object)).second;
    check(fresh, "JSON: the key '{}' is used twice", section.name);
  }
  return dump(document, 2) + "\n";
}

std::string json_line(const FieldList& fields) {
  json object = json::object();
  Writer writer(object);
  fields(writer);
  return dump(object, -1);
}

SectionEntries read_json(std::string_view text, std::string_view name) {
  Reader reader(name);
  json::sax_parse(Position{text.data(), &reader.line}, Position{text.data() + text.size(), &reader.line},
                  &reader);
  return std::move(reader.sections);
}

void assign(std::span<const SettableSection> sections, const SectionEntries& document) {
  std::vector<std::string> known;
  for (const SettableSection& section : sections) known.push_back(section.name);
  for (const auto& [name, entries] : document) {
    const auto section = std::ranges::find(sections, name, &SettableSection::name);
    if (section != sections.end())
      assign(section->fields, entries);
    else if (!entries.empty())
      throw UsageError(
          fmt::format("{}: unknown section '{}'{}", entries.front().where, name, did_you_mean(name, known)));
  }
}

}  // namespace attune
