#include "text/formats/corpus_format.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/registry.h"
#include "text/bytes/compression.h"

namespace attune {
namespace {

Registry<CorpusFormat>& registry() {
  static Registry<CorpusFormat> formats("format");
  return formats;
}

}  // namespace

RegisterFormat::RegisterFormat(CorpusFormat format) { registry().add(std::move(format)); }

const std::vector<CorpusFormat>& corpus_formats() { return registry().entries(); }

const CorpusFormat& format_named(std::string_view name) { return registry().at(name); }

bool by_number(const WantedColumns& wanted) {
  return !wanted.columns.empty() && std::ranges::all_of(wanted.columns, [](const std::string& name) {
    return !name.empty() && std::ranges::all_of(name, [](char c) { return is_ascii_digit(c); });
  });
}

const CorpusFormat* find_format(std::string_view head, std::string_view path, const WantedColumns& wanted) {
  for (const CorpusFormat& format : corpus_formats())
    if (format.begins != nullptr && format.begins(head)) return &format;
  const std::string name = ascii_small(without_compression(path));
  for (const CorpusFormat& format : corpus_formats())
    for (const std::string& extension : format.extensions)
      if (name.ends_with(extension) && (extension != ".tsv" || !wanted.empty())) return &format;
  return nullptr;
}

}  // namespace attune
