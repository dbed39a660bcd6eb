// Who sees whom is a thing of its own, beside the score: a visibility narrows which keys a query attends to.
// Each is one file that registers itself by name; it works with every score and in every model that has the
// attention it is for.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "nn/attention/score.h"

namespace attune {

// The attentions that it is for: of a sequence to itself, or to another one.
struct VisibilityTraits {
  bool self = false, cross = false;
  bool has_window = false;  // VisibilitySizes::window says how far a query sees
  bool has_edges = false;   // only for a stack that reads all tokens at once
};

class Visibility {
 public:
  virtual ~Visibility() = default;

  // `query` [queries, size], before it is split into heads.
  virtual void narrow(Attending& who, const Tensor& query) const = 0;
};

struct VisibilitySizes {
  int64_t query;   // the size of queries
  int64_t window;  // how many keys before and after its position a query sees
  int64_t heads = 1, edge_kinds = 0;
};

// An unknown name is a UsageError.
std::unique_ptr<Visibility> make_visibility(std::string_view name, const Scope& p,
                                            const VisibilitySizes& sizes);

// Refuses a name that is not known or not for this attention, and a window that does not fit it. `key` and
// `window_key` are those of the configuration.
void require_visibility(const std::string& key, const std::string& name, bool VisibilityTraits::*attention,
                        const std::string& window_key, int64_t window);

struct VisibilityEntry {
  std::string name;
  VisibilityTraits traits;
  std::unique_ptr<Visibility> (*make)(const Scope&, const VisibilitySizes&);
};
void register_visibility(VisibilityEntry entry);

// For a visibility V with `static constexpr VisibilityTraits kTraits` and the constructor V(Scope,
// VisibilitySizes).
template <class V>
struct RegisterVisibility {
  explicit RegisterVisibility(std::string_view name) {
    register_visibility({std::string(name), V::kTraits,
                         [](const Scope& p, const VisibilitySizes& sizes) -> std::unique_ptr<Visibility> {
                           return std::make_unique<V>(p, sizes);
                         }});
  }
};

}  // namespace attune
