// XmlReader: a document as the beginnings and ends of its elements and the text between them, in constant
// memory. Documents that define entities of their own (which can be made to grow without end), nest deeper
// than any corpus does or have tags of megabytes are refused.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/formats/corpus_format.h"

namespace attune {

class XmlHandler {
 public:
  struct Element {
    std::string_view name;  // without its namespace
    std::vector<std::pair<std::string_view, std::string_view>> attributes;

    std::string_view attribute(std::string_view wanted) const;  // empty if there is none
  };

  virtual ~XmlHandler() = default;
  virtual void begin(const Element& element, int64_t line) = 0;
  virtual void end(std::string_view name) = 0;
  virtual void text(std::string_view text) = 0;
};

// What is not well-formed is a UsageError that names the line.
void read_xml(const UnitInput& input, XmlHandler& handler);

// Whether the first element of a document has this name.
bool is_xml_of(std::string_view head, std::string_view root);

}  // namespace attune
