#include "text/alignment/symmetrize.h"

#include <fmt/core.h>

#include "attune/error.h"
#include "base/known_names.h"

namespace attune {
namespace {

const std::vector<std::string> kNames{"grow-diag-final-and", "intersect", "union", "forward", "backward"};

class Links {
 public:
  Links(size_t sources, size_t targets)
      : targets_(targets), linked_(sources * targets), source_(sources), target_(targets) {}

  bool has(size_t i, size_t j) const { return linked_[i * targets_ + j]; }
  bool has_source(size_t i) const { return source_[i]; }
  bool has_target(size_t j) const { return target_[j]; }
  size_t sources() const { return source_.size(); }
  size_t targets() const { return targets_; }
  void add(size_t i, size_t j) { linked_[i * targets_ + j] = source_[i] = target_[j] = true; }

  template <class Visit>
  void for_each(const Visit& visit) const {
    for (size_t i = 0; i < sources(); ++i)
      for (size_t j = 0; j < targets(); ++j)
        if (has(i, j)) visit(i, j);
  }

 private:
  size_t targets_;
  std::vector<bool> linked_, source_, target_;
};

// Adds links of `either` beside those that are there until there is none to add.
void grow(Links& links, const Links& either) {
  for (bool grown = true; grown;) {
    grown = false;
    for (size_t i = 0; i < links.sources(); ++i)
      for (size_t j = 0; j < links.targets(); ++j) {
        if (!links.has(i, j)) continue;
        // Those before and above first, then the diagonal ones.
        for (const auto& [down, right] :
             {std::pair(-1, 0), {0, -1}, {1, 0}, {0, 1}, {-1, -1}, {-1, 1}, {1, -1}, {1, 1}}) {
          const size_t a = i + static_cast<size_t>(down), b = j + static_cast<size_t>(right);  // may wrap
          if (a >= links.sources() || b >= links.targets() || !either.has(a, b) || links.has(a, b)) continue;
          if (links.has_source(a) && links.has_target(b)) continue;
          links.add(a, b);
          grown = true;
        }
      }
  }
}

void add_where_both_have_none(Links& links, const Links& from) {
  from.for_each([&](size_t i, size_t j) {
    if (!links.has_source(i) && !links.has_target(j)) links.add(i, j);
  });
}

}  // namespace

std::vector<std::string> symmetry_names() { return kNames; }

Symmetry symmetry_of(std::string_view name) {
  for (size_t i = 0; i < kNames.size(); ++i)
    if (kNames[i] == name) return static_cast<Symmetry>(i);
  throw UsageError(unknown_name("way to symmetrise", name, kNames));
}

std::vector<WordLink> symmetrize(std::span<const int32_t> forward, std::span<const int32_t> backward,
                                 Symmetry how) {
  const size_t sources = backward.size(), targets = forward.size();
  Links ahead(sources, targets), back(sources, targets), both(sources, targets), either(sources, targets);
  for (size_t j = 0; j < targets; ++j)
    if (forward[j] >= 0) ahead.add(static_cast<size_t>(forward[j]), j);
  for (size_t i = 0; i < sources; ++i)
    if (backward[i] >= 0) back.add(i, static_cast<size_t>(backward[i]));
  ahead.for_each([&](size_t i, size_t j) {
    either.add(i, j);
    if (back.has(i, j)) both.add(i, j);
  });
  back.for_each([&](size_t i, size_t j) { either.add(i, j); });
  if (how == Symmetry::grow_diag_final_and) {
    grow(both, either);
    add_where_both_have_none(both, ahead);
    add_where_both_have_none(both, back);
  }
  const Links& chosen = how == Symmetry::forward    ? ahead
                        : how == Symmetry::backward ? back
                        : how == Symmetry::union_   ? either
                                                    : both;
  std::vector<WordLink> links;
  chosen.for_each([&](size_t i, size_t j) {
    links.push_back({static_cast<int32_t>(i), static_cast<int32_t>(j)});
  });
  return links;
}

std::string pharaoh(std::span<const WordLink> links) {
  std::string text;
  for (const WordLink& link : links)
    text += fmt::format("{}{}-{}", text.empty() ? "" : " ", link.source, link.target);
  return text;
}

}  // namespace attune
