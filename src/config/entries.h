// Entries: the keys and values of a configuration file or command line, before their meaning is known.
#pragma once

#include <string>
#include <vector>

#include "config/fields.h"

namespace attune {

struct Entry {
  std::string key;
  std::vector<std::string> values;  // one, unless it is a list
  bool list = false;
  std::string where;  // "model.yml:3"
};
using Entries = std::vector<Entry>;

inline Entry entry(std::string key, std::string value) {
  return {std::move(key), {std::move(value)}, false, {}};
}
inline Entry entry(std::string key, int64_t value) { return entry(std::move(key), std::to_string(value)); }

// `mini-batch-words` is `mini_batch_words`: both spellings are accepted everywhere.
std::string canonical_key(std::string_view key);

// Sets the members that the entries name. Unknown keys, wrong types, words that are no choice and keys that
// come twice are UsageErrors that name the place, the key and what was expected.
void assign(const SettableFields& fields, const Entries& entries);

// All fields with their current values, in order.
Entries entries_of(const FieldList& fields);

}  // namespace attune
