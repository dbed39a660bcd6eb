#include "text/formats/column_choice.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "attune/error.h"
#include "text/formats/language_tags.h"

namespace attune {
namespace {

constexpr size_t kMostNames = 40;  // that a message lists

// "en" of "translation.en".
std::string_view last_part(std::string_view name) { return name.substr(name.rfind('.') + 1); }

std::optional<size_t> number_of(const std::string& name) {
  size_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return number;
}

}  // namespace

ColumnChoice::ColumnChoice(const CorpusFormat& format, const WantedColumns& wanted, std::string path)
    : kind_(format.names),
      languages_(kind_ != FieldNames::columns || wanted.columns.empty()),
      wanted_(languages_ ? wanted.languages : wanted.columns),
      path_(std::move(path)) {}

const Field* ColumnChoice::find(const Unit& unit, size_t column) const {
  const std::string& name = wanted_[column];
  const Field* best = nullptr;
  TagMatch found = TagMatch::none;
  for (const Field& field : unit.fields) {
    if (field.name.empty()) continue;
    TagMatch match = field.name == name ? TagMatch::exact : TagMatch::none;
    if (match == TagMatch::none && kind_ == FieldNames::columns)
      match = last_part(field.name) == name ? TagMatch::spelling : TagMatch::none;
    if (match == TagMatch::none && languages_) match = match_tags(name, last_part(field.name));
    if (match > found) {
      best = &field;
      found = match;
    }
  }
  if (best != nullptr) return best;
  if (const auto number = number_of(name); number && kind_ == FieldNames::columns)
    return *number >= 1 && *number <= unit.fields.size() ? &unit.fields[*number - 1] : nullptr;
  return nullptr;
}

void ColumnChoice::note_names(const Unit& unit) {
  for (const Field& field : unit.fields)
    if (!field.name.empty() && names_.size() < kMostNames &&
        std::ranges::find(names_, field.name) == names_.end())
      names_.push_back(field.name);
}

std::string ColumnChoice::names() const {
  return names_.empty() ? "none" : fmt::format("{}", fmt::join(names_, ", "));
}

void ColumnChoice::refuse_nothing_wanted(const Unit& unit) const {
  if (kind_ == FieldNames::columns)
    throw UsageError(fmt::format(
        "{}: say which columns to read, as in `--columns {} {}` (by number: 1 to {}); it has {}", path_,
        names_.empty() ? "1" : names_[0], names_.size() < 2 ? "2" : names_[1], unit.fields.size(), names()));
  throw UsageError(fmt::format("{}: say which languages to read, as in `--languages {} {}`; it has {}", path_,
                               names_.empty() ? "en" : names_[0], names_.size() < 2 ? "fr" : names_[1],
                               names()));
}

std::optional<std::vector<std::string>> ColumnChoice::columns(const Unit& unit, std::string& missing) {
  ++units_;
  note_names(unit);
  std::vector<std::string> texts;
  if (wanted_.empty()) {
    if (kind_ != FieldNames::sides) refuse_nothing_wanted(unit);
    for (const Field& field : unit.fields) texts.push_back(on_one_line(field.text));
    if (texts.size() == 2) ++fit_;
    missing = "translation";
    return texts.size() == 2 ? std::optional(texts) : std::nullopt;
  }
  std::vector<const Field*> chosen;
  for (size_t c = 0; c < wanted_.size(); ++c) chosen.push_back(find(unit, c));
  for (size_t c = 0; c < wanted_.size(); ++c) {
    // Fields without a name stand for the languages that are left, in their order.
    if (chosen[c] == nullptr)
      for (const Field& field : unit.fields)
        if (field.name.empty() && std::ranges::find(chosen, &field) == chosen.end()) {
          chosen[c] = &field;
          break;
        }
    if (chosen[c] == nullptr) {
      missing = wanted_[c];
      return std::nullopt;
    }
    texts.push_back(on_one_line(chosen[c]->text));
  }
  ++fit_;
  return texts;
}

void ColumnChoice::check_that_some_fit() const {
  if (units_ == 0 || fit_ > 0) return;
  throw UsageError(
      fmt::format("{}: none of its {} units has {}; its {} are {}", path_, units_,
                  wanted_.empty() ? "a translation" : fmt::format("{}", fmt::join(wanted_, " and ")),
                  kind_ == FieldNames::columns ? "columns" : "languages", names()));
}

}  // namespace attune
