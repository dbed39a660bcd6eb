// Any bytes are rows of a corpus in every format, or a UsageError; no row has a line end in it, and lines are
// counted upwards.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

#include "attune/error.h"
#include "base/descriptor.h"
#include "text/formats/column_choice.h"

using namespace attune;

namespace {

void read(const CorpusFormat& format, int file, const WantedColumns& wanted) {
  lseek(file, 0, SEEK_SET);
  const std::string path = "fuzz";
  try {
    TextBytes text(file, path);
    find_format(text.peek(kFormatHead), path, wanted);
    ColumnChoice choice(format, wanted, path);
    int64_t last = 1;
    format.read({text, path, wanted}, [&](Unit&& unit) {
      if (unit.line < last) std::abort();
      last = unit.line;
      std::string missing;
      if (unit.state == UnitState::bad) return;
      if (const auto columns = choice.columns(unit, missing))
        for (const std::string& column : *columns)
          if (column.find_first_of("\n\r\t") != std::string::npos) std::abort();
    });
    choice.check_that_some_fit();
  } catch (const UsageError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const Descriptor file(memfd_create("fuzz", 0));
  if (write(file.number(), data, size) != static_cast<ssize_t>(size)) std::abort();
  for (const CorpusFormat& format : corpus_formats())
    for (const WantedColumns& wanted :
         {WantedColumns{{"en", "fr"}, {}}, WantedColumns{{}, {"1", "2"}}, WantedColumns{}})
      read(format, file.number(), wanted);
  return 0;
}
