#include "convert/huggingface/network.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "config/rules.h"

namespace attune::huggingface {
namespace {

constexpr std::pair<const char*, FeedForwardKind> kActivations[] = {
    {"relu", FeedForwardKind::relu},          {"gelu", FeedForwardKind::gelu},
    {"gelu_new", FeedForwardKind::gelu_tanh}, {"gelu_pytorch_tanh", FeedForwardKind::gelu_tanh},
    {"swish", FeedForwardKind::swish},        {"silu", FeedForwardKind::swish}};

}  // namespace

void require_flag(const JsonFields& config, std::string_view key, bool value) {
  if (config.flag(key, value) != value)
    config.refuse(key, fmt::format("attune has the network for {} only", value));
}

void require_number(const JsonFields& config, std::string_view key, double value) {
  if (const double there = config.real(key, value); there != value)
    config.refuse(key, fmt::format("attune has the network for {} only, not {}", value, there));
}

void require_text(const JsonFields& config, std::string_view key, std::string_view value) {
  if (const std::string there = config.text(key, std::string(value)); there != value)
    config.refuse(key, fmt::format("attune has the network for '{}' only, not '{}'", value, there));
}

void require_class(const JsonFields& config, const std::vector<std::string>& known) {
  const nlohmann::json* names = config.find("architectures");
  if (names == nullptr || !names->is_array() || names->empty() || !(*names)[0].is_string()) return;
  require_word(config.where() + ": architectures", (*names)[0].get<std::string>(), known);
}

FeedForwardKind activation_of(const JsonFields& config, std::string_view key, const std::string& otherwise) {
  const std::string name = config.text(key, otherwise);
  for (const auto& [known, kind] : kActivations)
    if (name == known) return kind;
  config.refuse(key, fmt::format("attune has relu, gelu, gelu_new and swish, not '{}'", name));
}

std::string name_of(FeedForwardKind activation) {
  for (const auto& [name, kind] : kActivations)
    if (kind == activation) return name;
  throw UsageError(fmt::format("activation: Hugging Face's folders of this kind do not have '{}'",
                               enum_names(activation)[static_cast<size_t>(activation)]));
}

int64_t size_of(const JsonFields& config, std::string_view key) {
  const int64_t size = config.number(key);
  if (size < 1 || size > kMostWords)
    config.refuse(key, fmt::format("it should be 1 to {}, not {}", kMostWords, size));
  return size;
}

}  // namespace attune::huggingface
