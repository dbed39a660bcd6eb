// CorpusFormats: formats of files that hold all columns of a corpus, each in a file of its own that registers
// it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/bytes/text_bytes.h"
#include "text/formats/unit.h"

namespace attune {

// Which fields of the units are the columns of the corpus, in this order.
struct WantedColumns {
  std::vector<std::string> languages = {};  // of formats whose fields have languages
  std::vector<std::string> columns = {};    // names or numbers, of tables and JSON

  bool operator==(const WantedColumns&) const = default;
  bool empty() const { return languages.empty() && columns.empty(); }
};

// By number alone, so the first row of a table is no header.
bool by_number(const WantedColumns& wanted);

struct UnitInput {
  TextBytes& text;
  const std::string& path;  // for messages
  const WantedColumns& wanted;
};

enum class FieldNames : uint8_t {
  languages,
  sides,   // as well; if none are wanted, the first field is the source and the second the target
  columns  // or languages, if no columns are wanted
};

struct CorpusFormat {
  std::string name;                     // "TMX"
  std::vector<std::string> extensions;  // ".tmx"
  FieldNames names;
  // Whether a file that begins like this is certainly of the format. Null: it cannot be told.
  bool (*begins)(std::string_view head);
  // Gives the units one after the other, in constant memory. A UsageError if the rest cannot be understood.
  void (*read)(const UnitInput& input, const TakeUnit& take);
};

struct RegisterFormat {
  explicit RegisterFormat(CorpusFormat format);
};

const std::vector<CorpusFormat>& corpus_formats();
const CorpusFormat& format_named(std::string_view name);

// By its content, if not by its name. Null: text with a sentence a line.
const CorpusFormat* find_format(std::string_view head, std::string_view path, const WantedColumns& wanted);

// So much of a file decides.
constexpr size_t kFormatHead = 1 << 14;

}  // namespace attune
