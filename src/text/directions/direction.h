// Direction: from which language into which a multilingual model translates. Such a model reads the token of
// its target language, as in OPUS-MT's models, in front of each source: >>fr<< Good morning.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attune {

struct Direction {
  std::string source, target;

  std::string text() const { return source + "-" + target; }  // "en-fr"
  bool operator==(const Direction&) const = default;
};

// Those that a list of names says: en-fr de-en pt-BR-en. Empty if it names languages: en fr, en-US fr-FR.
// Regions have capital letters there, so that en-US is a language and en-us a direction.
std::vector<Direction> read_directions(std::span<const std::string> names);

// Each language once, in the order of the directions; of all sides, or of the targets.
std::vector<std::string> languages_of(std::span<const Direction> directions);
std::vector<std::string> targets_of(std::span<const Direction> directions);

std::string language_token(std::string_view language);  // ">>fr<<"

}  // namespace attune
