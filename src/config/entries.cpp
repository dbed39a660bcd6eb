#include "config/entries.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "attune/error.h"
#include "base/nearest.h"
#include "config/foreign_keys.h"

namespace attune {
namespace {

template <class... Args>
[[noreturn]] void refuse(const Entry& entry, fmt::format_string<Args...> text, Args&&... args) {
  const std::string place = entry.where.empty() ? "" : entry.where + ": ";
  throw UsageError(place + fmt::format(text, std::forward<Args>(args)...));
}

template <class T>
T number(const Entry& entry, const std::string& text, std::string_view kind) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    refuse(entry, "'{}' should be {}, but '{}' was given", entry.key, kind, text);
  return value;
}

bool truth(const Entry& entry, const std::string& text) {
  if (text == "true" || text == "yes" || text == "on") return true;
  if (text == "false" || text == "no" || text == "off") return false;
  refuse(entry, "'{}' should be true or false, but '{}' was given", entry.key, text);
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

struct Set {
  const Entry& entry;

  const std::string& single() const {
    if (entry.list || entry.values.size() != 1) refuse(entry, "'{}' takes one value, not a list", entry.key);
    return entry.values[0];
  }
  void operator()(bool* to) const { *to = truth(entry, single()); }
  void operator()(int64_t* to) const { *to = number<int64_t>(entry, single(), "a whole number"); }
  void operator()(double* to) const { *to = number<double>(entry, single(), "a number"); }
  void operator()(std::string* to) const { *to = single(); }
  void operator()(std::vector<std::string>* to) const { *to = entry.values; }
  void operator()(const Choosing& to) const {
    const std::string& word = single();
    const auto found = std::ranges::find(to.words, word);
    if (found == to.words.end())
      refuse(entry, "'{}' takes {}, but '{}' was given{}", entry.key, joined(to.words), word,
             did_you_mean(word, to.words));
    to.set(static_cast<size_t>(found - to.words.begin()));
  }
};

class Assigner final : public FieldSetter {
 public:
  explicit Assigner(const Entries& entries) : entries_(entries) {}
  const std::vector<std::string>& names() const { return names_; }

 private:
  void visit(std::string_view name, const Target& target) override {
    names_.emplace_back(name);
    for (const Entry& entry : entries_)
      if (entry.key == name) std::visit(Set{entry}, target);
  }

  const Entries& entries_;
  std::vector<std::string> names_;
};

struct Get {
  Entry entry;
  Entry operator()(const bool* v) { return one(*v ? "true" : "false"); }
  Entry operator()(const int64_t* v) { return one(fmt::format("{}", *v)); }
  Entry operator()(const double* v) { return one(fmt::format("{}", *v)); }
  Entry operator()(const std::string* v) { return one(*v); }
  Entry operator()(const Choice& v) { return one(v.word); }
  Entry operator()(const std::vector<std::string>* v) {
    entry.values = *v;
    entry.list = true;
    return entry;
  }
  Entry one(std::string text) {
    entry.values = {std::move(text)};
    return entry;
  }
};

std::string advice(const std::string& key, const std::vector<std::string>& names) {
  const std::string foreign = foreign_key_advice(key);
  return foreign.empty() ? did_you_mean(key, names) : foreign;
}

class Collector final : public Fields {
 public:
  Entries entries;

 private:
  void visit(std::string_view name, const Value& value, std::string_view) override {
    entries.push_back(std::visit(Get{{std::string(name), {}, false, {}}}, value));
  }
};

}  // namespace

std::string canonical_key(std::string_view key) {
  std::string canonical(key);
  std::ranges::replace(canonical, '-', '_');
  return canonical;
}

void assign(const SettableFields& fields, const Entries& entries) {
  Assigner assigner(entries);
  fields(assigner);
  std::set<std::string_view> seen;
  for (const Entry& entry : entries) {
    if (std::ranges::find(assigner.names(), entry.key) == assigner.names().end())
      refuse(entry, "unknown key '{}'{}", entry.key, advice(entry.key, assigner.names()));
    if (!seen.insert(entry.key).second) refuse(entry, "the key '{}' appears twice", entry.key);
  }
}

Entries entries_of(const FieldList& fields) {
  Collector collector;
  fields(collector);
  return collector.entries;
}

}  // namespace attune
