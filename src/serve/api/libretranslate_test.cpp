// What clients of LibreTranslate send, in all the ways in which it takes it.
#include <gtest/gtest.h>

#include "attune/error.h"
#include "serve/api/service_fixture.h"

namespace attune::serve {
namespace {

const std::string kRnn = "type: rnn\nembedding: 8\nhidden: 8\n";

HttpResponse send(Server& server, const std::string& type, const std::string& body,
                  const std::string& path = "/translate") {
  return server.service->handle(
      {.method = "POST", .path = path, .headers = {{"content-type", type}}, .body = body});
}

TEST(LibreTranslate, takes_every_kind_of_body) {
  Server server;
  const json expected{{"translatedText", server.expected("a b")}};
  const std::string text = R"({"q": "a b", "source": "en", "target": "de"})";
  for (const char* type : {"application/json", "Application/JSON; Charset=UTF-8", "application/vnd.api+json"})
    EXPECT_EQ(send(server, type, text).body, expected.dump()) << type;
  const std::string form =
      "--x y\r\nContent-Disposition: form-data; name=\"q\"\r\n\r\na b\r\n--x y\r\ncontent-disposition: "
      "FORM-DATA; "
      "name=source\r\nContent-Type: text/plain\r\n\r\nen\r\n--x y\r\nContent-Disposition: form-data; "
      "name=\"target\"\r\n\r\nde\r\n--x y--\r\n";
  EXPECT_EQ(send(server, "multipart/form-data; boundary=\"x y\"", form).body, expected.dump());
  for (const char* type : {"multipart/form-data", "multipart/form-data; boundary=z"})
    EXPECT_EQ(send(server, type, form).status, 400) << type;
}

TEST(LibreTranslate, languages_come_in_any_case_and_by_other_names) {
  Server server([](EngineOptions& options, ServiceOptions&) {
    options.models.push_back(Server::beside(options, "zh", "en-zh", kRnn, 4));
    options.models.push_back(Server::beside(options, "br", "en-pt-BR", kRnn, 5));
  });
  EXPECT_EQ(server.translate({{"q", "a b"}, {"source", "EN"}, {"target", "De"}})["translatedText"],
            server.expected("a b"));
  for (const char* target : {"zh", "ZH", "zh-Hans", "zh-hans"})
    EXPECT_EQ(server.translate({{"q", "a b"}, {"target", target}})["translatedText"],
              server.expected("a b", 1));
  for (const char* target : {"pb", "pt-br", "PT-BR"})
    EXPECT_EQ(server.translate({{"q", "a b"}, {"target", target}})["translatedText"],
              server.expected("a b", 2));
  EXPECT_EQ(server.translate({{"q", "a"}, {"target", "zh-Hant"}}, 400)["error"], "zh-Hant is not supported");
}

TEST(LibreTranslate, other_values_mean_what_they_mean_there) {
  Server server;
  const json plain = server.translate({{"q", "a b"}});
  EXPECT_EQ(server.translate({{"q", "a b"}, {"format", ""}}), plain);
  EXPECT_EQ(server.translate({{"q", "a b"}, {"format", nullptr}, {"alternatives", -1}}), plain);
  EXPECT_EQ(server.translate({{"q", "a b"}, {"alternatives", "0"}}), plain);
  EXPECT_EQ(server.translate({{"q", "a"}, {"alternatives", 100}}, 400)["error"],
            "Invalid request: alternatives parameter must be <= 16");
  EXPECT_EQ(server.post("/suggest", {{"q", "a"}}).status, 403);
  EXPECT_EQ(send(server, "multipart/form-data; boundary=x", "--x--", "/translate_file").status, 403);
}

TEST(LibreTranslate, detects_lists) {
  Server server([](EngineOptions& options, ServiceOptions&) {
    options.models.push_back(Server::beside(options, "back", "de-en", kRnn, 4));
  });
  const auto found = server.post("/detect", {{"q", {"Das ist nicht der Hund und die Katze.", "The end"}}});
  ASSERT_EQ(found.status, 200) << found.body;
  EXPECT_EQ(json::parse(found.body)[0]["language"], "de");
  EXPECT_EQ(json::parse(found.body)[1]["language"], "en");
}

TEST(LibreTranslate, limits_hold_for_each_text_and_before_anything_is_done) {
  Server server([](EngineOptions& options, ServiceOptions&) { options.characters = 10; });
  const json list = server.translate({{"q", {"a b c d e", "a b c d ж", "a b"}}});
  EXPECT_EQ(list["translatedText"].size(), 3u);
  const std::string text(11, 'a');
  for (const char* source : {"auto", "en"})
    EXPECT_EQ(server.translate({{"q", {"a", text}}, {"source", source}}, 400)["error"],
              "Invalid request: request (11) exceeds text limit (10)");
  EXPECT_EQ(server.post("/detect", {{"q", text}}).status, 400);
}

TEST(LibreTranslate, goes_over_a_third_language_where_no_model_leads_directly) {
  Server server([](EngineOptions& options, ServiceOptions&) {
    options.models[0] = parse_model_place("de-en=" + options.models[0].folder);
    options.models.push_back(Server::beside(options, "fr", "en-fr", kRnn, 4));
  });
  EXPECT_EQ(
      server.translate({{"q", {"a b", "1", "c d"}}, {"source", "de"}, {"target", "fr"}})["translatedText"],
      json({server.expected(server.expected("a b"), 1), "1", server.expected(server.expected("c d"), 1)}));
  EXPECT_EQ(json::parse(server.get("/languages").body)[0],
            json::parse(R"({"code": "de", "name": "German", "targets": ["en", "fr"]})"));
  EXPECT_EQ(server.translate({{"q", "a"}, {"source", "fr"}, {"target", "de"}}, 400)["error"],
            "German (de) is not available as a target language from French (fr)");
}

TEST(LibreTranslate, html_beyond_ascii_is_translated) {
  Server server;
  const std::string date = "二〇二六年十一月十六日";
  EXPECT_EQ(server.translate({{"q", date}, {"format", "html"}})["translatedText"],
            server.translate({{"q", date}})["translatedText"]);
}

// Alignments take bytes for every pair of a word that is read and one that is written.
TEST(LibreTranslate, an_answer_has_its_limit) {
  Server server([](EngineOptions& options, ServiceOptions&) {
    options.answer_bytes = 4000;
    options.characters = 100'000;
  });
  const auto ask = [&](const std::string& text, bool alignment) {
    return server.post("/v1/translate",
                       {{"q", text}, {"model", "en-de"}, {"n_best", 2}, {"alignment", alignment}});
  };
  const auto small = ask("a b c", true);
  EXPECT_EQ(small.status, 200) << small.body;
  EXPECT_LE(small.body.size(), 4000u);
  std::string sentence = "a";
  for (int i = 0; i < 100; ++i) sentence += " b";
  EXPECT_EQ(
      json::parse(ask(sentence, true).body)["error"],
      "Invalid request: the answer would be longer than 4000 bytes; ask for less text, fewer outputs or no "
      "alignment");
  const std::string metrics = server.get("/metrics").body;
  EXPECT_NE(metrics.find("attune_batch_sentences_sum 1\n"), std::string::npos) << "it was translated first";
  std::string lines;
  for (int i = 0; i < 100; ++i) lines += "a b\n";
  EXPECT_EQ(ask(lines, false).status, 400);
}

// A server of one folder that was trained like this.
Server trained_for(const attune::testing::RandomTrained& trained, const std::string& languages = "") {
  return Server([&](EngineOptions& options, ServiceOptions&) {
    const auto folder = std::filesystem::path(options.models[0].folder).parent_path() / "trained";
    save_random_model(folder, "type: rnn\nembedding: 8\nhidden: 8\n", 4, trained);
    options.models = {parse_model_place(languages + folder.string())};
  });
}

TEST(LibreTranslate, every_direction_of_a_multilingual_folder_is_served) {
  Server server =
      trained_for({.languages = {"en-fr", "en-de", "de-en"}, .symbols = {">>fr<<", ">>de<<", ">>en<<"}});
  const auto& models = server.engine->table()->models();
  ASSERT_EQ(models.size(), 3u);
  EXPECT_EQ(models[1]->name(), "en-de");
  EXPECT_EQ(server.engine->table()->sources(), (std::vector<std::string>{"de", "en"}));
  for (size_t i = 0; i < models.size(); ++i)
    EXPECT_EQ(server.translate({{"q", "a b c"},
                                {"source", models[i]->source()},
                                {"target", models[i]->target()}})["translatedText"],
              server.expected("a b c", i));
  const json answer =
      json::parse(server.post("/v1/translate", {{"q", "a b"}, {"model", "en-de"}, {"alignment", true}}).body);
  EXPECT_EQ(answer["translations"][0]["sentences"][0]["source_tokens"], json({">>de<<", "a", "b"}));
  const json marked = server.translate({{"q", "a <b>b</b> c"}, {"target", "fr"}, {"format", "html"}});
  EXPECT_EQ(marked["translatedText"].get<std::string>().find("&gt;"), std::string::npos)
      << "the token is no text";
}

TEST(LibreTranslate, languages_come_from_the_training_or_the_command_line) {
  const auto name = [](const attune::testing::RandomTrained& trained, const std::string& languages = "") {
    return trained_for(trained, languages).engine->table()->models()[0]->name();
  };
  EXPECT_EQ(name({.train_sets = {"memory.tmx"}, .languages = {"en", "fr"}}), "en-fr");
  EXPECT_EQ(name({.train_sets = {"a.en.xz", "a.zh-Hans"}}), "en-zh-Hans");
  EXPECT_EQ(name({.languages = {"en-fr", "en-de"}, .symbols = {">>fr<<", ">>de<<"}}, "it-de="), "it-de");
  EXPECT_EQ(name({.train_sets = {"memory.tmx"}}), "trained") << "its folder: nobody names the languages";
  EXPECT_THROW(name({.languages = {"en-fr", "en-de"}, .symbols = {">>fr<<", ">>de<<"}}, "en-it="),
               UsageError);
  EXPECT_EQ(name({.symbols = {">>fra<<"}}, "en-fr="), "en-fr") << "its texts say their language";
}

}  // namespace
}  // namespace attune::serve
