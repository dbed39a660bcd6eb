#include "io/json.h"

#include <gtest/gtest.h>

#include <limits>

#include "attune/error.h"
#include "attune/random.h"
#include "testing/op_check.h"

namespace attune {
namespace {

using testing::expect_error;

enum class Colour { red, green };
std::span<const char* const> enum_names(Colour) {
  static constexpr const char* kWords[] = {"red", "green"};
  return kWords;
}

struct Model {
  int64_t heads = 8;
  double dropout = 0.1, limit = std::numeric_limits<double>::infinity();
  bool causal = false;
  std::string name = "007";
  std::vector<std::string> files{"a \"b\"", "\xc3\xa4"};
  Colour colour = Colour::red;

  static void fields(FieldsOf<Model> f) {
    f("heads", &Model::heads, "");
    f("dropout", &Model::dropout, "");
    f("limit", &Model::limit, "");
    f("causal", &Model::causal, "");
    f("name", &Model::name, "");
    f("files", &Model::files, "");
    f("colour", &Model::colour, "");
  }
};

struct Format {
  int64_t format = 1;
  static void fields(FieldsOf<Format> f) { f("format", &Format::format, ""); }
};

struct Document {
  Format format;
  Model model;
  std::vector<Section> sections() const { return {{"", fields_of(format)}, {"model", fields_of(model)}}; }
  void read(std::string_view text) {
    assign(std::vector<SettableSection>{{"", fields_of(format)}, {"model", fields_of(model)}},
           read_json(text, "config.json"));
  }
};

constexpr std::string_view kText = R"({
  "format": 1,
  "model": {
    "heads": 8,
    "dropout": 0.1,
    "limit": "inf",
    "causal": false,
    "name": "007",
    "files": [
      "a \"b\"",
      "ä"
    ],
    "colour": "red"
  }
}
)";

TEST(Json, has_sections_and_the_types_of_the_fields) {
  Document document;
  EXPECT_EQ(write_json(document.sections()), kText);
  EXPECT_EQ(json_line(fields_of(document.format)), R"({"format":1})");
}

TEST(Json, what_is_written_is_read_again) {
  Document document;
  document.format.format = -(int64_t{1} << 62);
  document.model = {.heads = std::numeric_limits<int64_t>::max(),
                    .dropout = 1.0 / 3,
                    .limit = 5e-324,
                    .causal = true,
                    .name = "true\n\t\x01",
                    .files = {},
                    .colour = Colour::green};
  const std::string text = write_json(document.sections());
  Document again;
  again.read(text);
  EXPECT_EQ(write_json(again.sections()), text);
  EXPECT_EQ(again.model.dropout, 1.0 / 3);
  EXPECT_EQ(again.model.limit, 5e-324);
  EXPECT_EQ(again.model.heads, std::numeric_limits<int64_t>::max());
  EXPECT_EQ(again.model.name, "true\n\t\x01");
  EXPECT_TRUE(again.model.files.empty());
}

TEST(Json, keeps_what_the_document_does_not_say) {
  Document document;
  document.read(R"({"model": {"heads": 3}})");
  EXPECT_EQ(document.model.heads, 3);
  EXPECT_EQ(document.model.dropout, 0.1);
  EXPECT_EQ(document.format.format, 1);
}

TEST(Json, names_the_line_and_what_is_wrong) {
  const auto refuse = [](std::string_view text, const std::string& message) {
    Document document;
    EXPECT_THROW(document.read(text), UsageError) << text;
    expect_error([&] { document.read(text); }, message);
  };
  refuse("{\n\"model\": {\n\"head\": 4}}", "config.json:3: unknown key 'head', did you mean 'heads'?");
  refuse("{\"model\":\n{\"heads\": \"many\"}}",
         "config.json:2: 'heads' should be a whole number, but 'many'");
  refuse(R"({"model": {"heads": 2.0}})",
         "config.json:1: 'heads' should be a whole number, but '2.0' was given");
  refuse(R"({"model": {"heads": null}})", "'heads' should be a whole number, but 'null' was given");
  refuse(R"({"model": {"heads": [1]}})", "'heads' takes one value, not a list");
  refuse(R"({"model": {"heads": 1, "heads": 1}})", "the key 'heads' appears twice");
  refuse(R"({"model": {"heads": {}}})", "config.json:1: 'heads' should be a value or a list of values");
  refuse(R"({"model": {"files": [[]]}})", "config.json:1: 'files' should be a list of plain values");
  refuse(R"({"model": {}, "model": {}})", "config.json:1: the section 'model' appears twice");
  refuse(R"({"modell": {"a": 1}})", "config.json:1: unknown section 'modell', did you mean 'model'?");
  refuse(R"({"": {"format": 2}})", "a section should have a name");
  refuse("", "config.json:1: this is not JSON");
  refuse("{\n\n\"model\": {", "config.json:3: this is not JSON, or it is damaged or incomplete");
  refuse("{\"model\": \"\xff\"}", "this is not JSON");
  refuse("[1]", "config.json:1: there should be an object: {\"key\": value, ...}");
  refuse("7", "there should be an object");
  refuse(std::string(1000000, '['), "there should be an object");
  refuse("{\"a\":" + std::string(1000000, '['), "'a' should be a list of plain values");
}

TEST(Json, damaged_anyhow_is_read_or_refused) {
  const Random random(1);
  uint64_t draw = 0;
  const auto below = [&](size_t n) {
    return static_cast<size_t>(random.uniform(draw++) * static_cast<double>(n));
  };
  for (int round = 0; round < 3000; ++round) {
    std::string text(kText);
    for (size_t i = 0; i <= below(3); ++i) {
      const size_t at = below(text.size());
      if (below(2) == 0)
        text[at] = static_cast<char>(below(256));
      else
        text.erase(at, below(40));
    }
    Document document;
    try {
      document.read(text);
    } catch (const UsageError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with("config.json:")) << error.what();
    }
  }
}

TEST(Json, keys_are_unique_and_texts_are_utf8) {
  Document document;
  const std::vector<Section> twice = {{"m", fields_of(document.model)}, {"m", fields_of(document.model)}};
  expect_error([&] { (void)write_json(twice); }, "the key 'm' is used twice");
  document.model.name.assign(1, '\xff');
  expect_error([&] { (void)write_json(document.sections()); }, "not valid UTF-8");
}

}  // namespace
}  // namespace attune
