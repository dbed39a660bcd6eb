#include "view/page.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "attune/error.h"
#include "view/attention_json.h"
#include "view/embedded.h"
#include "view/packed.h"

namespace attune::view {
namespace {

constexpr std::string_view kPlace = "id=\"attune-data\">";  // the data follows it

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string both(const BothLanguages& text) {
  return fmt::format("{{\"en\":{},\"zh\":{}}}", quoted(text.en), quoted(text.zh));
}

}  // namespace

bool has_pages() { return !embedded_page().empty(); }

std::string page_json(const Page& page) {
  std::string text = fmt::format("{{\"title\":{},\"text\":{},\"opens\":{},\"sentences\":[", both(page.title),
                                 both(page.text), quoted(page.opens));
  for (size_t s = 0; s < page.sentences.size(); ++s) {
    const PageSentence& sentence = page.sentences[s];
    text += fmt::format("{}{{\"label\":{},\"expected\":{},\"models\":[", s == 0 ? "" : ",",
                        quoted(sentence.label), quoted(sentence.expected));
    for (size_t m = 0; m < sentence.models.size(); ++m)
      text.append(m == 0 ? "" : ",").append(packed_json(sentence.models[m], s == 0));
    text += "]}";
  }
  text += "],\"runs\":[";
  for (size_t r = 0; r < page.runs.size(); ++r) text.append(r == 0 ? "" : ",").append(page.runs[r]);
  return text + "]}";
}

std::string html_with(std::string_view data) {
  const std::string_view page = embedded_page();
  if (page.empty())
    throw UsageError(
        "this attune was built without its pages; build it with -D ATTUNE_WEB=ON, which needs npm, or use "
        "another format");
  return page_with(page, data);
}

std::string page_with(std::string_view page, std::string_view data) {
  const size_t place = page.find(kPlace) + kPlace.size();
  std::string text(page.substr(0, place));
  text.reserve(page.size() + data.size() + data.size() / 64);
  for (const char c : data) {  // no text in the data can end the element that contains it
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  }
  return text.append(page.substr(place));
}

std::string html(const Page& page) {
  const std::string json = page_json(page);
  return html_with(fmt::format("{{\"deflated\":\"{}\"}}",
                               deflated({reinterpret_cast<const unsigned char*>(json.data()), json.size()})));
}

}  // namespace attune::view
