#include "train/pretrained.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>

#include "attune/error.h"
#include "base/name_pattern.h"
#include "base/readable.h"
#include "config/rules.h"
#include "io/weights.h"
#include "tensor/quantized.h"

namespace attune {
namespace {

// Of a model's keys, those that are not about the network that was trained.
constexpr std::array kMayDiffer{"dropout", "attention_dropout", "activation_dropout", "task", "tagger",
                                "error"};

constexpr const char* kEmbeddings = "embeddings";
constexpr std::array kTables{"source.weight", "target.weight", "words.weight", "segments.weight"};

bool is_frozen(const std::vector<std::string>& patterns, std::string_view name) {
  const bool table = std::ranges::find(kTables, name) != kTables.end();
  return matches_any(patterns, name) || (table && std::ranges::find(patterns, kEmbeddings) != patterns.end());
}

bool of_adapter(std::string_view name) { return name.ends_with(kLowRankA) || name.ends_with(kLowRankB); }

std::string_view layer_of(std::string_view parameter) { return parameter.substr(0, parameter.rfind('.')); }

// The first parts of all names.
std::string parts_of(const Parameters& parameters) {
  std::set<std::string> first;
  for (const Parameters::Entry& entry : parameters.entries())
    first.insert(entry.name.substr(0, entry.name.find('.')));
  return fmt::format("{}", fmt::join(first, ", "));
}

std::string joined(const std::vector<std::string>& values) {
  return fmt::format("{}", fmt::join(values, " "));
}

std::optional<double> number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

// A number can be written in several ways.
bool same_value(const std::string& a, const std::string& b) {
  return a == b || (number(a) && number(a) == number(b));
}

}  // namespace

Entries over_pretrained(const ModelFiles& pretrained, const Entries& run) {
  Entries all{entry("type", pretrained.config->type())};
  for (Entry& of_model : entries_of(fields_of(*pretrained.config))) all.push_back(std::move(of_model));
  for (const Entry& given : run) {
    const auto found = std::ranges::find(all, given.key, &Entry::key);
    if (found == all.end()) {
      all.push_back(given);
      continue;
    }
    const std::string own = joined(given.values), trained = joined(found->values);
    const bool may = std::ranges::find(kMayDiffer, given.key) != kMayDiffer.end();
    require(may || same_value(own, trained), given.where.empty() ? given.key : given.where,
            "the pretrained model {} has {}: {}, not {}; leave it out", pretrained.path.string(), given.key,
            trained, own);
    if (may) *found = given;
  }
  return all;
}

void take_vocabularies(const ModelFiles& pretrained, RunConfig& config) {
  const auto& [source, target] = pretrained.vocabularies;
  TrainConfig& train = config.train;
  const auto check = [&](const char* key, bool fits, const auto& own) {
    require(fits || !config.given.contains(key), key,
            "the vocabulary is that of the pretrained model {}, which has {}; leave it out",
            pretrained.path.string(), own);
  };
  check("size", train.size == "auto", "sizes of its own");
  if (source->vectors() != nullptr) return;
  check("vocab_kind", train.vocab_kind == source->kind(),
        fmt::format("the kind {}", name_of(source->kind())));
  check("vocab_size", train.vocab_size >= source->size(), counted(source->size(), "token"));
  const bool labels = config.model->task().answers_with_labels();
  if (!labels)
    check("joint_vocab", train.joint_vocab == pretrained.vocabularies.joint(),
          pretrained.vocabularies.joint() ? "one for both sides" : "one for each side");
  train.vocab_kind = source->kind();
  train.vocab_size = source->size();
  if (!labels) train.joint_vocab = pretrained.vocabularies.joint();
}

ModelFiles load_pretrained(const std::string& folder) {
  ModelFiles model = load_model_files(folder);
  if (any_quantized(*model.parameters))
    throw UsageError(
        fmt::format("{}: this model is quantised, and 8-bit weights cannot be trained further: "
                    "give the model that it was made from",
                    model.path.string()));
  return whole_model(model);
}

LowRank low_rank_of(const TrainConfig& config) {
  return {.rank = config.lora_rank,
          .alpha = config.lora_alpha > 0 ? config.lora_alpha : 2 * static_cast<double>(config.lora_rank),
          .places = config.lora_places};
}

ParameterSource frozen_weights(const ModelFiles& pretrained, const TrainConfig& config) {
  if (config.freeze.empty() && config.lora_rank == 0) return {};
  return [base = pretrained.parameters, patterns = config.freeze, all = config.lora_rank > 0](
             std::string_view name, const Shape& shape, DType dtype) {
    const bool stays = (all || is_frozen(patterns, name)) && base->contains(name);
    return stays && base->at(name).shape() == shape && base->at(name).dtype() == dtype ? base->at(name)
                                                                                       : Tensor();
  };
}

void check_patterns(const TrainConfig& config, const Parameters& parameters) {
  const auto& entries = parameters.entries();
  for (const std::string& pattern : config.freeze)
    require(std::ranges::any_of(entries, [&](const auto& entry) { return is_frozen({pattern}, entry.name); }),
            "freeze", "no parameter of this model matches '{}'; their names begin with {}", pattern,
            parts_of(parameters));
  for (const std::string& pattern : config.lora_places)
    require(std::ranges::any_of(entries,
                                [&](const auto& entry) {
                                  return entry.name.ends_with(kLowRankA) &&
                                         matches_name(pattern, layer_of(entry.name));
                                }),
            "lora_places",
            "no linear layer of this model matches '{}'; the names of its parameters begin with {}", pattern,
            parts_of(parameters));
  require(parameters.trained_count() > 0, "freeze", "nothing is left to be trained");
  if (config.lora_rank == 0) return;
  for (const auto& entry : entries)
    if (entry.name.ends_with(kLowRankA) && entry.tensor.columns() > 0)
      require(config.lora_rank <= entry.tensor.columns(), "lora_rank",
              "{} is more than the {} numbers that '{}' reads", config.lora_rank, entry.tensor.columns(),
              layer_of(entry.name));
}

Taken take_pretrained(const ModelFiles& pretrained, const Parameters& parameters) {
  SharedWeights weights = load_weights(*pretrained.parameters, pretrained.path.string(), parameters);
  const auto adapters = std::erase_if(weights.fresh, of_adapter);
  Taken taken{fmt::format("starting from {}", pretrained.path.string()), weights.fresh.empty()};
  if (adapters > 0)
    taken.text += fmt::format(", with adapters in {}", counted(static_cast<int64_t>(adapters / 2), "layer"));
  if (const int64_t trained = parameters.trained_count(); trained < parameters.count())
    taken.text +=
        fmt::format("; {} of {} numbers are trained", grouped(trained), grouped(parameters.count()));
  if (!weights.fresh.empty()) taken.text += fmt::format("; new: {}", fmt::join(weights.fresh, ", "));
  if (!weights.left.empty()) taken.text += fmt::format("; not used: {}", fmt::join(weights.left, ", "));
  return taken;
}

}  // namespace attune
