#include "metrics/answers/entity_f1.h"

#include <fmt/core.h>

#include <algorithm>
#include <compare>
#include <vector>

#include "attune/error.h"
#include "metrics/tokenize/unicode.h"

namespace attune::metrics {
namespace {

struct Tag {
  char place = 'O';  // B, I, E, S or O
  std::string_view type;
};

Tag read_tag(std::string_view text) {
  if (text == "O") return {};
  if (text.size() < 2 || text[1] != '-') return {'I', text};
  const char place = text[0] == 'U' ? 'S' : text[0] == 'L' ? 'E' : text[0];
  if (std::string_view("BIESO").find(place) == std::string_view::npos) return {'I', text};
  return {place, text.substr(2)};
}

struct Entity {
  size_t first, last;
  std::string_view type;
  auto operator<=>(const Entity&) const = default;
};

bool begins(const Tag& before, const Tag& tag) {
  if (tag.place == 'O') return false;
  return before.place == 'O' || before.type != tag.type || tag.place == 'B' || tag.place == 'S' ||
         before.place == 'E' || before.place == 'S';
}

std::vector<Entity> entities(const std::vector<std::string_view>& tags) {
  std::vector<Entity> all;
  Tag before;
  for (size_t i = 0; i < tags.size(); ++i) {
    const Tag tag = read_tag(tags[i]);
    if (begins(before, tag))
      all.push_back({i, i, tag.type});
    else if (tag.place != 'O')
      all.back().last = i;
    before = tag;
  }
  return all;
}

double share(double part, double all) { return all > 0 ? part / all : 0; }

}  // namespace

Statistics EntityF1::statistics(std::string_view hypothesis, std::span<const std::string> references) const {
  const std::vector<std::string_view> tags = split(hypothesis), right = split(references[0]);
  if (tags.size() != right.size())
    throw UsageError(
        fmt::format("entity_f1: there are {} tags, but {} in the reference", tags.size(), right.size()));
  const std::vector<Entity> found = entities(tags), expected = entities(right);
  double correct = 0, same = 0;
  for (const Entity& entity : found) correct += std::ranges::binary_search(expected, entity) ? 1 : 0;
  for (size_t i = 0; i < tags.size(); ++i) same += tags[i] == right[i] ? 1 : 0;
  return {correct, static_cast<double>(found.size()), static_cast<double>(expected.size()), same,
          static_cast<double>(tags.size())};
}

double EntityF1::value(const Statistics& totals) const {
  return 200 * share(totals[0], totals[1] + totals[2]);
}

std::string EntityF1::verbose(const Statistics& totals) const {
  return fmt::format("precision {:.2f} recall {:.2f} accuracy {:.2f}", 100 * share(totals[0], totals[1]),
                     100 * share(totals[0], totals[2]), 100 * share(totals[3], totals[4]));
}

}  // namespace attune::metrics
