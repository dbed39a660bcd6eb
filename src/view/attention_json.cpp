#include "view/attention_json.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>

#include "view/packed.h"

namespace attune::view {
namespace {

using nlohmann::json;

json tree_json(const Attention& attention) {
  json tree = json::array();
  for (const SearchNode& node : attention.tree) {
    json candidates = json::array();
    for (const auto& [token, p] : node.candidates) candidates.push_back({{"token", token}, {"p", p}});
    tree.push_back({{"parent", node.parent},
                    {"token", node.token},
                    {"log_p", node.log_p},
                    {"score", node.score},
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
          {"layers", std::move(layers)},
          {"scenes", scenes_json(attention)},
          {"tree", tree_json(attention)}};
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
  return fmt::to_string(text) + ',' + text_of(description(attention)).substr(1);
}

std::string packed_json(const Attention& attention) {
  json all = description(attention);
  for (size_t i = 0; i < attention.layers.size(); ++i)
    all["layers"][i]["packed"] = packed(attention.layers[i].weights);
  return text_of(all);
}

}  // namespace attune::view
