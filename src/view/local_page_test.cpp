#include "view/local_page.h"

#include <gtest/gtest.h>

#include "attune/error.h"
#include "view/embedded.h"

namespace attune::view {
namespace {

// Both kinds of builds are tested: ./run wasm makes the one with an engine.
TEST(LocalPage, has_engine_and_models_or_says_what_to_do) {
  const LocalPage page{
      .title = {"</script> Übersetzen", "翻译"},
      .models = {{"en-de", "en", "de", {{"config.json", "{}"}, {"weights.safetensors", ""}}}},
      .training = true};
  if (!has_engine()) {
    try {
      local_html(page);
      FAIL() << "no engine, and nobody says so";
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find("./run wasm"), std::string::npos) << error.what();
    }
    return;
  }
  const std::string html = local_html(page);
  for (const char* part : {"id=\"attune-engine-js\">", "id=\"attune-engine-wasm\">", "id=\"attune-models\">",
                           "\\u003c/script> Übersetzen", "\"folder\":\"/models/en-de\"", "\"training\":true"})
    EXPECT_NE(html.find(part), std::string::npos) << part;
  EXPECT_EQ(html.find("<!-- attune-engine -->"), std::string::npos);
  EXPECT_EQ(local_html({}).find("id=\"attune-models\">"), std::string::npos);
}

}  // namespace
}  // namespace attune::view
