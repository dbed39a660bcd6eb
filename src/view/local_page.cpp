#include "view/local_page.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "attune/error.h"
#include "view/embedded.h"
#include "view/packed.h"

namespace attune::view {
namespace {

using nlohmann::json;

constexpr std::string_view kPlace = "<!-- attune-engine -->";

std::span<const unsigned char> bytes_of(std::string_view text) {
  return {reinterpret_cast<const unsigned char*>(text.data()), text.size()};
}

std::string element(const char* name, std::string_view bytes) {
  return fmt::format("<script type=\"text/plain\" id=\"attune-{}\">{}</script>\n", name,
                     deflated(bytes_of(bytes)));
}

std::string folder_of(const LocalModel& model) { return "/models/" + model.name; }

// The size of a list as 32 bits, the least first; the list, as JSON: [{"path", "bytes"}, ...]; the files, one
// after another.
std::string bundle(const std::vector<LocalModel>& models) {
  json list = json::array();
  std::string contents;
  for (const LocalModel& model : models)
    for (const LocalModel::File& file : model.files) {
      list.push_back({{"path", folder_of(model) + "/" + file.name}, {"bytes", file.bytes.size()}});
      contents += file.bytes;
    }
  const std::string head = list.dump();
  std::string size;
  for (int shift = 0; shift < 32; shift += 8) size += static_cast<char>(head.size() >> shift & 255);
  return size + head + contents;
}

json both(const BothLanguages& text) { return {{"en", text.en}, {"zh", text.zh}}; }

}  // namespace

bool has_engine() { return !embedded_engine().program.empty(); }

void require_engine() {
  if (!has_engine())
    throw UsageError(
        "this attune was built without the engine that runs in pages; build it with ./run wasm, which needs "
        "Emscripten (Debian's package emscripten)");
}

std::string local_html(const LocalPage& page) {
  require_engine();
  const Engine engine = embedded_engine();
  json models = json::array();
  for (const LocalModel& model : page.models)
    models.push_back({{"folder", folder_of(model)}, {"source", model.source}, {"target", model.target}});
  const json data{{"title", both(page.title)},
                  {"text", both(page.text)},
                  {"sentences", json::array()},
                  {"runs", json::array()},
                  {"server",
                   {{"runs", json::array()},
                    {"keys", false},
                    {"longest", page.characters},
                    {"local", {{"models", models}, {"training", page.training}}}}}};
  std::string elements = element("engine-js", engine.program) + element("engine-wasm", engine.wasm);
  if (!page.models.empty()) elements += element("models", bundle(page.models));
  std::string text =
      page_with(engine.page, data.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  return text.replace(text.find(kPlace), kPlace.size(), elements);
}

}  // namespace attune::view
