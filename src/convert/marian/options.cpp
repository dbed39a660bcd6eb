#include "convert/marian/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "attune/error.h"
#include "config/yaml.h"

namespace attune::marian {
namespace {

// Read by the importers, or of no meaning for the network.
constexpr std::array kKnown{
    "type", "version", "dim-emb", "dim-rnn", "dim-vocabs", "enc-depth", "dec-depth", "enc-type", "enc-cell",
    "enc-cell-depth", "dec-cell", "dec-cell-base-depth", "dec-cell-high-depth", "skip", "layer-normalization",
    "tied-embeddings", "tied-embeddings-src", "tied-embeddings-all", "output-omit-bias", "transformer-heads",
    "transformer-dim-ffn", "transformer-ffn-depth", "transformer-decoder-dim-ffn",
    "transformer-decoder-ffn-depth", "transformer-ffn-activation", "transformer-preprocess",
    "transformer-postprocess", "transformer-postprocess-emb", "transformer-postprocess-top",
    "transformer-no-projection", "transformer-tied-layers", "transformer-train-position-embeddings",
    "transformer-train-positions", "transformer-disable-position-embeddings", "transformer-depth-scaling",
    "transformer-guided-alignment-layer", "max-length", "original-type", "separator-symbol",
    // of networks that are refused elsewhere, with values that are always there
    "transformer-dim-aan", "transformer-aan-depth", "transformer-aan-activation",
    "bert-train-type-embeddings", "bert-type-vocab-size"};

struct Only {
  std::string_view key;
  std::string_view value;  // the only one that attune has
};
constexpr std::array kOnly{Only{"transformer-decoder-autoreg", "self-attention"},
                           Only{"transformer-attention-mask", "default"}, Only{"factors-combine", "sum"}};

// Not those of an encoder and decoder of one source.
bool is_off(const Entry& entry) {
  return std::ranges::all_of(entry.values, [](const std::string& value) {
    return value.empty() || value == "false" || value == "0" || value == "none" || value == "~";
  });
}

}  // namespace

Options::Options(std::string_view yaml, const std::string& name)
    : entries_(read_yaml(yaml, name)), name_(name) {
  for (Entry& entry : entries_) std::ranges::replace(entry.key, '_', '-');
}

const Entry* Options::find(std::string_view key) const {
  const auto found = std::ranges::find(entries_, key, &Entry::key);
  return found == entries_.end() ? nullptr : &*found;
}

std::string Options::text(std::string_view key, std::string otherwise) const {
  const Entry* found = find(key);
  return found == nullptr || found->values.size() != 1 ? otherwise : found->values[0];
}

int64_t Options::number(std::string_view key, int64_t otherwise) const {
  const Entry* found = find(key);
  if (found == nullptr) return otherwise;
  const std::string value = text(key);
  int64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size())
    throw UsageError(fmt::format("{}: '{}' should be a number, not '{}'", name_, key, value));
  return number;
}

std::vector<std::string> Options::list(std::string_view key) const {
  const Entry* found = find(key);
  return found == nullptr ? std::vector<std::string>{} : found->values;
}

bool Options::before(const std::array<int, 3>& version) const {
  const std::string text = this->text("version");  // "v1.12.43 c9f287db 2025-06-23"
  std::array<int, 3> own{};
  const char *at = text.data(), *end = at + text.size();
  for (int& part : own) {
    if (at == end || (*at != 'v' && *at != '.')) break;
    at = std::from_chars(at + 1, end, part).ptr;
  }
  return own[0] > 0 && own < version;
}

void Options::refuse_other_networks() const {
  for (const auto& [key, value] : kOnly)
    if (const std::string own = text(key, std::string(value)); own != value)
      throw UsageError(fmt::format("{}: {}: attune has '{}', not '{}'", name_, key, value, own));
  for (const Entry& entry : entries_) {
    const bool known = std::ranges::find(kKnown, entry.key) != kKnown.end() ||
                       std::ranges::find(kOnly, entry.key, &Only::key) != kOnly.end();
    if (!known && !is_off(entry))
      throw UsageError(fmt::format("{}: {}: attune does not have the network that the value '{}' means",
                                   name_, entry.key, fmt::join(entry.values, " ")));
  }
}

}  // namespace attune::marian
