#include "serve/api/attend_edits.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

namespace attune::serve {
namespace {

using nlohmann::json;

constexpr size_t kMostEdits = 1000;
constexpr int64_t kGreatest = 1'000'000;  // number of a layer, a head or a token

[[noreturn]] void refuse(const std::string& why) { throw HttpRefusal(400, "Invalid request: " + why); }

std::optional<int64_t> number(const json& object, const char* name, const char* field) {
  if (!object.contains(name) || object[name].is_null()) return {};
  const json& value = object[name];
  if (!value.is_number_integer() || value.get<double>() < 0 || value.get<double>() > kGreatest)
    refuse(fmt::format("{}: {} must be a whole number from 0", field, name));
  return value.get<int64_t>();
}

view::AttentionKind kind_of(const json& object, const char* field) {
  const auto kinds = enum_names(view::AttentionKind{});
  const auto found = object.contains("kind") && object["kind"].is_string()
                         ? std::ranges::find(kinds, object["kind"].get<std::string>())
                         : kinds.end();
  if (found == kinds.end()) refuse(fmt::format("{}: kind must be encoder, decoder or cross", field));
  return static_cast<view::AttentionKind>(found - kinds.begin());
}

void require_names(const json& object, const char* field, std::span<const std::string_view> known) {
  if (!object.is_object()) refuse(fmt::format("{}: each must be an object with kind and layer", field));
  for (const auto& [name, value] : object.items())
    if (std::ranges::find(known, name) == known.end())
      refuse(fmt::format("{}: there is no '{}' in it", field, name));
}

AttentionName name_of(view::AttentionKind kind, int64_t layer) {
  return {kind == view::AttentionKind::encoder ? AttentionName::encoder : AttentionName::decoder, layer,
          kind == view::AttentionKind::cross ? AttentionName::cross : AttentionName::self};
}

view::AttentionKind kind_of(AttentionName name) {
  if (name.kind == AttentionName::cross) return view::AttentionKind::cross;
  return name.stack == AttentionName::encoder ? view::AttentionKind::encoder : view::AttentionKind::decoder;
}

void add(const RequestFields& fields, const char* field, bool moved, std::vector<AttentionEdit>& to) {
  constexpr std::array<std::string_view, 5> known{"kind", "layer", "head", "query", "key"};
  const json& list = fields.value(field);
  if (list.is_null()) return;
  if (!list.is_array()) refuse(fmt::format("{} must be a list", field));
  if (to.size() + list.size() > kMostEdits)
    refuse(fmt::format("{} and look_at: at most {} are allowed", field, kMostEdits));
  for (const json& each : list) {
    require_names(each, field, std::span(known).first(moved ? 5 : 3));
    const auto kind = kind_of(each, field);
    const auto layer = number(each, "layer", field);
    if (!layer) refuse(fmt::format("{}: each needs a layer", field));
    AttentionEdit edit{.where = name_of(kind, *layer), .head = number(each, "head", field)};
    if (moved) {
      edit.query = number(each, "query", field);
      edit.key = number(each, "key", field);
      if (!edit.key) refuse(fmt::format("{}: each needs a key, the token that is looked at", field));
      if (kind == view::AttentionKind::decoder && (!edit.query || *edit.key > *edit.query))
        refuse(
            fmt::format("{}: a token of the output cannot look at a later one; give a query, and a key "
                        "that is not greater",
                        field));
    }
    to.push_back(edit);
  }
}

}  // namespace

AttentionEdits heads_off(const RequestFields& fields) {
  std::vector<AttentionEdit> all;
  add(fields, "heads_off", false, all);
  return AttentionEdits(std::move(all));
}

AttentionEdits edits_of(const RequestFields& fields) {
  std::vector<AttentionEdit> all;
  add(fields, "heads_off", false, all);
  add(fields, "look_at", true, all);
  return AttentionEdits(std::move(all));
}

void require_seen(const AttentionEdits& edits, const view::Attention& seen) {
  if (seen.layers.empty()) return;  // there was nothing to look at
  for (const AttentionEdit& edit : edits.all()) {
    const auto kind = kind_of(edit.where);
    const auto layer = std::ranges::find_if(seen.layers, [&](const view::AttentionLayer& each) {
      return each.kind == kind && each.number == edit.where.layer;
    });
    if (layer == seen.layers.end())
      refuse(
          fmt::format("this model has no {} attention in a layer {}", view::name_of(kind), edit.where.layer));
    if (edit.head && !layer->heads.empty() &&
        std::ranges::find(layer->heads, *edit.head) == layer->heads.end())
      refuse(fmt::format("there is no head {}: {} attention in layer {} has the heads 0 to {}", *edit.head,
                         view::name_of(kind), edit.where.layer, layer->heads.size() - 1));
    if (edit.key && *edit.key >= static_cast<int64_t>(layer->keys))
      refuse(fmt::format("look_at: there is no token {}: the last one is {}", *edit.key, layer->keys - 1));
  }
}

view::AttentionChoice choice_of(const RequestFields& fields) {
  constexpr std::array<std::string_view, 3> known{"kind", "layer", "head"};
  const json& value = fields.value("matrices");
  if (value.is_null()) return {};
  require_names(value, "matrices", known);
  return {.kind = kind_of(value, "matrices"),
          .layer = number(value, "layer", "matrices"),
          .head = number(value, "head", "matrices")};
}

}  // namespace attune::serve
