#include "view/attention_json.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

namespace attune::view {
namespace {

using nlohmann::json;

// Five digits are more than anybody reads.
double rounded(double x) { return std::stod(fmt::format("{:.5g}", x)); }

json tree_json(const Attention& attention) {
  json tree = json::array();
  for (const SearchNode& node : attention.tree) {
    json candidates = json::array();
    for (const auto& [token, p] : node.candidates)
      candidates.push_back({{"token", token}, {"p", rounded(p)}});
    tree.push_back({{"parent", node.parent},
                    {"token", node.token},
                    {"log_p", rounded(node.log_p)},
                    {"score", rounded(node.score)},
                    {"ended", node.ended},
                    {"on_result", node.on_result},
                    {"candidates", std::move(candidates)}});
  }
  return tree;
}

json scenes_json(const Attention& attention) {
  json scenes = json::array();
  for (const Scene& scene : attention.scenes) {
    json one{{"kind", name_of(scene.kind)}, {"first", scene.first}, {"count", scene.count}};
    if (scene.kind == SceneKind::graph)
      one["edges"] = scene.edges;
    else if (scene.kind == SceneKind::picture)
      one.update({{"across", scene.across},
                  {"width", scene.width},
                  {"height", scene.height},
                  {"image", image_of(scene)}});
    else
      one.update({{"columns", scene.columns}, {"numbers", scene.numbers}});
    scenes.push_back(std::move(one));
  }
  return scenes;
}

// All but the weights.
json description(const Attention& attention) {
  json layers = json::array();
  for (const AttentionLayer& layer : attention.layers)
    layers.push_back({{"kind", name_of(layer.kind)},
                      {"layer", layer.number},
                      {"heads", layer.heads},
                      {"queries", layer.queries},
                      {"keys", layer.keys}});
  return {{"model", attention.model},
          {"type", attention.type},
          {"source", attention.source},
          {"target", attention.target},
          {"forced", attention.forced},
          {"encoder_tokens", attention.encoder_tokens},
          {"decoder_tokens", attention.decoder_tokens},
          {"decoder_outputs", attention.decoder_outputs},
          {"output_words", attention.output_words},
          {"aligning_layer", attention.aligning_layer},
          {"aligning_head", attention.aligning_head},
          {"layers", std::move(layers)},
          {"scenes", scenes_json(attention)},
          {"tree", tree_json(attention)}};
}

constexpr float kBars = 1024;   // levels: enough for bars and three digits
constexpr float kColours = 64;  // and for colours, bars without digits, and cosines

// Numbers from `low` to `high`. Levels are whole steps of what packed() writes, so that their last bits,
// which say nothing, are 0.
json packed_numbers(const NumberTable& table, float levels = kBars) {
  const auto [least, most] = std::ranges::minmax_element(table.numbers);
  const float low = table.numbers.empty() ? 0 : *least, high = table.numbers.empty() ? 0 : *most;
  std::vector<float> shares;
  for (const float x : table.numbers)
    shares.push_back(
        high > low ? std::round((x - low) / (high - low) * (levels - 1)) * (65536 / levels) / 65535 : 0);
  return {{"rows", table.rows},
          {"columns", table.columns},
          {"low", low},
          {"high", low + (high - low) * 65535 / 65536 * levels / (levels - 1)},
          {"packed", packed(shares)}};
}

json inputs_json(const LayerInputs& inputs) {
  json all{{"kind", name_of(inputs.kind)},
           {"layer", inputs.number},
           {"heads", inputs.heads},
           {"score", inputs.score},
           {"queries", packed_numbers(inputs.queries)},
           {"keys", packed_numbers(inputs.keys)},
           {"values", packed_numbers(inputs.values)},
           {"v", inputs.v}};
  if (!inputs.x.numbers.empty()) all["x"] = packed_numbers(inputs.x);
  all["matrix_head"] = inputs.matrix_head;
  const std::pair<const char*, const NumberTable&> matrices[] = {{"query_weight", inputs.query_weight},
                                                                 {"key_weight", inputs.key_weight},
                                                                 {"value_weight", inputs.value_weight},
                                                                 {"out", inputs.out}};
  for (const auto& [name, matrix] : matrices)
    if (!matrix.numbers.empty()) all[name] = packed_numbers(matrix, kColours);
  return all;
}

// Of the step that comes first; the page computes the others from the gates.
NumberTable first_state(const LayerGates& layer, const NumberTable& states) {
  const auto row = static_cast<std::ptrdiff_t>((layer.backward ? states.rows - 1 : 0) * states.columns);
  const auto begin = states.numbers.begin() + row;
  return {1, states.columns, {begin, begin + static_cast<std::ptrdiff_t>(states.columns)}};
}

// [row][column]
json rows_of(const NumberTable& table) {
  json rows = json::array();
  for (size_t r = 0; r < table.rows; ++r) {
    json& row = rows.emplace_back(json::array());
    for (size_t c = 0; c < table.columns; ++c) row.push_back(rounded(table.numbers[r * table.columns + c]));
  }
  return rows;
}

std::string text_of(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

void write_layer(const AttentionLayer& layer, fmt::memory_buffer& to) {
  const float* weight = layer.weights.data();
  const auto list = [&](size_t count, auto&& item) {
    to.push_back('[');
    for (size_t i = 0; i < count; ++i) {
      if (i > 0) to.push_back(',');
      item();
    }
    to.push_back(']');
  };
  list(layer.matrices(), [&] {
    list(layer.queries,
         [&] { list(layer.keys, [&] { fmt::format_to(std::back_inserter(to), "{:.6g}", *weight++); }); });
  });
}

}  // namespace

std::string head_view_json(const Attention& attention) {
  fmt::memory_buffer text;
  for (const auto kind : {AttentionKind::encoder, AttentionKind::decoder, AttentionKind::cross}) {
    fmt::format_to(std::back_inserter(text), "{}\"{}_attention\":", text.size() == 0 ? '{' : ',',
                   name_of(kind));
    bool any = false;
    for (const AttentionLayer& layer : attention.layers) {
      if (layer.kind != kind) continue;
      text.push_back(std::exchange(any, true) ? ',' : '[');
      write_layer(layer, text);
    }
    text.append(std::string_view(any ? "]" : "null"));
  }
  json rest = description(attention);
  for (const auto& [kind, table] : attention.gradients)
    rest["gradients"].push_back({{"kind", name_of(kind)}, {"rows", rows_of(table)}});
  return fmt::to_string(text) + ',' + text_of(rest).substr(1);
}

std::string packed_json(const Attention& attention, bool positions, uint32_t unit) {
  json all = description(attention);
  for (size_t i = 0; i < attention.layers.size(); ++i)
    all["layers"][i]["packed"] = packed(attention.layers[i].weights, unit);
  for (size_t i = 0; i < attention.layers.size(); ++i)
    if (!attention.layers[i].value_norms.empty())
      all["layers"][i]["value_norms"] = attention.layers[i].value_norms;
  for (const LayerInputs& inputs : attention.inputs) all["inputs"].push_back(inputs_json(inputs));
  for (const LayerGates& each : attention.gates) {
    json& gates = all["gates"].emplace_back(json{{"decoder", each.decoder},
                                                 {"layer", each.number},
                                                 {"backward", each.backward},
                                                 {"cell", each.cell},
                                                 {"gates", packed_numbers(each.gates, kColours)},
                                                 {"before", packed_numbers(first_state(each, each.before))}});
    if (!each.cell_before.numbers.empty())
      gates["cell_before"] = packed_numbers(first_state(each, each.cell_before));
  }
  for (const auto& [kind, number, losses] : attention.importance)
    all["importance"].push_back({{"kind", name_of(kind)}, {"layer", number}, {"losses", losses}});
  for (const auto& [kind, table] : attention.gradients)
    all["gradients"].push_back({{"kind", name_of(kind)}, {"table", packed_numbers(table)}});
  for (const auto& [decoder, number, vectors] : attention.states)
    all["states"].push_back(
        {{"decoder", decoder}, {"layer", number}, {"vectors", packed_numbers(vectors, kColours)}});
  for (const auto& steps : attention.guesses) {
    json& layer = all["guesses"].emplace_back(json::array());
    for (const auto& step : steps) {
      json& tokens = layer.emplace_back(json::array());
      for (const auto& [token, p] : step) tokens.push_back({{"token", token}, {"p", rounded(p)}});
    }
  }
  if (positions && !attention.positions.kind.empty()) {
    all["positions"] = packed_numbers(attention.positions.table);
    all["positions"]["kind"] = attention.positions.kind;
  }
  return text_of(all);
}

}  // namespace attune::view
