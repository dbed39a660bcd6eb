// Configurations as JSON, from the same field lists that YAML and the command line use. A document is an
// object with a few sections, each an object of plain values and lists of them; the section "" is the
// document itself:
//   {"format": 1, "model": {"layers": 6, "heads": 8}, "training": {"updates": 1000}}
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "config/entries.h"

namespace attune {

struct Section {
  std::string name;
  FieldList fields;
};
struct SettableSection {
  std::string name;
  SettableFields fields;
};

// With line breaks, for files that people read.
std::string write_json(std::span<const Section> sections);
// On one line, without its end.
std::string json_line(const FieldList& fields);

using SectionEntries = std::map<std::string, Entries, std::less<>>;

// `name` appears in messages ("config.json:3: ..."). A UsageError if it is not such a document.
SectionEntries read_json(std::string_view text, std::string_view name);

// Sets the fields of all sections; a section of the document that is not among them is a UsageError, one that
// the document does not have keeps its values.
void assign(std::span<const SettableSection> sections, const SectionEntries& document);

}  // namespace attune
