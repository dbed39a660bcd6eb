#include "nn/attention/visibility.h"

#include "base/registry.h"
#include "config/rules.h"

namespace attune {
namespace {

Registry<VisibilityEntry>& registry() {
  static Registry<VisibilityEntry> kinds("visibility");
  return kinds;
}

// Every query sees every key, or, in a decoder, those up to its own.
struct Full final : Visibility {
  static constexpr VisibilityTraits kTraits{.self = true, .cross = true};

  Full(const Scope&, const VisibilitySizes&) {}
  void narrow(Attending&, const Tensor&) const override {}
};

const RegisterVisibility<Full> full("full");

}  // namespace

void register_visibility(VisibilityEntry entry) { registry().add(std::move(entry)); }

std::unique_ptr<Visibility> make_visibility(std::string_view name, const Scope& p,
                                            const VisibilitySizes& sizes) {
  return registry().at(name).make(p, sizes);
}

void require_visibility(const std::string& key, const std::string& name, bool VisibilityTraits::*attention,
                        const std::string& window_key, int64_t window) {
  std::vector<std::string> known;
  for (const VisibilityEntry& entry : registry().entries())
    if (entry.traits.*attention) known.push_back(entry.name);
  require_word(key, name, known);
  const bool has_window = registry().at(name).traits.has_window;
  require(!has_window || window > 0, window_key, "must be set if {} is '{}', for example to 16", key, name);
}

}  // namespace attune
