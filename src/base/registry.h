// Registry: entries of one kind, each with a `name`, in the order of their names. Each file adds its own
// before main() runs:
//
//   Registry<Verb>& registry() {
//     static Registry<Verb> verbs("verb");
//     return verbs;
//   }
//
// A name that is already taken is an Error, which ends the program before main().
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/nearest.h"

namespace attune {

template <class Entry>
class Registry {
 public:
  explicit Registry(std::string kind) : kind_(std::move(kind)) {}  // "verb", for messages

  void add(Entry entry) {
    const auto place = std::ranges::lower_bound(entries_, entry.name, {}, &Entry::name);
    check(place == entries_.end() || place->name != entry.name, "two files register the {} '{}'", kind_,
          entry.name);
    entries_.insert(place, std::move(entry));
  }

  const std::vector<Entry>& entries() const { return entries_; }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const Entry& entry : entries_) names.push_back(entry.name);
    return names;
  }

  // Null if there is none with that name.
  const Entry* find(std::string_view name) const {
    const auto entry = std::ranges::find(entries_, name, &Entry::name);
    return entry == entries_.end() ? nullptr : &*entry;
  }
  // A UsageError if there is none.
  const Entry& at(std::string_view name) const {
    if (const Entry* entry = find(name)) return *entry;
    throw UsageError(fmt::format("unknown {} '{}'{}", kind_, name, did_you_mean(name, names())));
  }

 private:
  std::string kind_;
  std::vector<Entry> entries_;
};

}  // namespace attune
