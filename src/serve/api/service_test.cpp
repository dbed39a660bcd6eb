// The server without sockets: requests in, answers out, through small random models.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "attune/patience.h"
#include "io/files/file.h"
#include "serve/api/service_fixture.h"

namespace attune::serve {
namespace {

using std::chrono::milliseconds;

TEST(Service, translates_texts_and_lists_as_libretranslate_does) {
  Server server;
  EXPECT_EQ(server.translate({{"q", "a b c"}}), json({{"translatedText", server.expected("a b c")}}));
  const json list = server.translate({{"q", {"a b", "", "12 !", "c d"}}, {"source", "auto"}});
  EXPECT_EQ(list["translatedText"], json({server.expected("a b"), "", "12 !", server.expected("c d")}));
  EXPECT_EQ(list["detectedLanguage"].size(), 4u);
  EXPECT_EQ(list["detectedLanguage"][0]["language"], "en");
  EXPECT_FALSE(list.contains("alternatives"));
  const json more = server.translate({{"q", "a b c"}, {"alternatives", 2}});
  EXPECT_EQ(more["translatedText"], server.expected("a b c"));
  ASSERT_TRUE(more["alternatives"].is_array());
  for (const json& other : more["alternatives"]) EXPECT_NE(other, more["translatedText"]);
}

TEST(Service, lines_and_sentences_keep_their_places) {
  Server server;
  EXPECT_EQ(server.translate({{"q", "a b\n\n  c d\n"}})["translatedText"],
            server.expected("a b") + "\n\n  " + server.expected("c d") + "\n");
}

TEST(Service, errors_are_libretranslates) {
  Server server([](EngineOptions& options, ServiceOptions&) { options.characters = 10; });
  const auto error = [&](const json& fields) { return server.translate(fields, 400)["error"]; };
  EXPECT_EQ(error({{"x", 1}}), "Invalid request: missing q parameter");
  EXPECT_EQ(error({{"q", "a"}, {"source", ""}}), "Invalid request: missing source parameter");
  EXPECT_EQ(error({{"q", "a"}, {"target", nullptr}}), "Invalid request: missing target parameter");
  EXPECT_EQ(error({{"q", "a"}, {"source", "zz"}}), "zz is not supported");
  EXPECT_EQ(error({{"q", "a"}, {"target", "auto"}}), "auto is not supported");
  EXPECT_EQ(error({{"q", "a"}, {"source", "de"}, {"target", "en"}}),
            "English (en) is not available as a target language from German (de)");
  EXPECT_EQ(error({{"q", "a b c d e f"}}), "Invalid request: request (11) exceeds text limit (10)");
  EXPECT_EQ(error({{"q", "a"}, {"format", "pdf"}}), "pdf format is not supported");
  EXPECT_EQ(server.get("/translate").status, 405);
  EXPECT_EQ(server.get("/../../etc/passwd").status, 404);
  EXPECT_EQ(server.post("/translate", json::array()).status, 400);
}

TEST(Service, says_what_it_is) {
  Server server;
  EXPECT_EQ(json::parse(server.get("/languages").body),
            json::parse(R"([{"code": "de", "name": "German", "targets": []},
                            {"code": "en", "name": "English", "targets": ["de"]}])"));
  EXPECT_EQ(server.get("/health").body, R"({"status":"ok"})");
  const json settings = json::parse(server.get("/frontend/settings").body);
  EXPECT_EQ(settings["language"]["source"]["code"], "en");
  EXPECT_EQ(settings["language"]["target"]["name"], "German");
  EXPECT_FALSE(settings["keyRequired"]);
  const json spec = json::parse(server.get("/spec").body);
  EXPECT_TRUE(spec["paths"].contains("/translate"));
  EXPECT_EQ(json::parse(server.get("/v1/models").body)["data"][0]["id"], "en-de");
  EXPECT_EQ(json::parse(server.post("/detect", {{"q", "the end"}}).body)[0]["language"], "en");
}

TEST(Service, own_translations_say_all) {
  Server server;
  const auto response =
      server.post("/v1/translate", {{"q", "a b"}, {"model", "en-de"}, {"n_best", 2}, {"alignment", true}});
  ASSERT_EQ(response.status, 200) << response.body;
  const json sentence = json::parse(response.body)["translations"][0]["sentences"][0];
  EXPECT_EQ(sentence["source"], "a b");
  EXPECT_EQ(sentence["source_tokens"], json({"a", "b"}));
  ASSERT_EQ(sentence["outputs"].size(), 2u);
  const json& best = sentence["outputs"][0];
  EXPECT_EQ(best["alignment"].size(), best["word_scores"].size());
  EXPECT_EQ(best["alignment"][0].size(), 3u);  // a, b, </s>
  EXPECT_GE(best["normalised"], sentence["outputs"][1]["normalised"]);
  EXPECT_EQ(server.post("/v1/translate", {{"q", "a"}, {"model", "x"}}).status, 400);
  EXPECT_EQ(server.post("/v1/translate", {{"q", "a"}, {"model", "en-de"}, {"n_best", 9}}).status, 400);
}

TEST(Service, heads_of_own_translations_can_be_switched_off) {
  Server server([](EngineOptions& options, ServiceOptions&) {
    options.cache_bytes = 1 << 20;
    options.models = {Server::beside(
        options, "transformer", "en-de",
        "type: transformer\nencoder_layers: 1\ndecoder_layers: 2\nd_model: 8\nheads: 2\nfeed_forward: 8\n",
        3)};
  });
  const auto answer = [&](const json& more) {
    json fields{{"q", "a b c"}, {"model", "en-de"}};
    fields.update(more);
    return server.post("/v1/translate", fields);
  };
  const auto best = [](const HttpResponse& response) {
    EXPECT_EQ(response.status, 200) << response.body;
    return json::parse(response.body)["translations"][0]["sentences"][0]["outputs"][0];
  };
  const json before = best(answer(json::object()));
  const json off{
      {"heads_off", {{{"kind", "cross"}, {"layer", 0}}, {{"kind", "encoder"}, {"layer", 0}, {"head", 1}}}}};
  const json after = best(answer(off));
  EXPECT_NE(after["word_scores"], before["word_scores"]);
  json looked = off;
  looked.update({{"q", "a b c"}, {"model", "en-de"}});
  const json seen = json::parse(server.post("/v1/attend", looked).body)["sentences"][0]["models"][0];
  EXPECT_EQ(after["text"], seen["target"]);
  EXPECT_EQ(best(answer(json::object())), before) << "others are not changed by it";
  EXPECT_EQ(best(answer(off)), after);
  const auto refused = answer({{"heads_off", {{{"kind", "cross"}, {"layer", 0}, {"head", 2}}}}});
  EXPECT_EQ(refused.status, 400);
  EXPECT_NE(refused.body.find("has the heads 0 to 1"), std::string::npos) << refused.body;
}

TEST(Service, own_interfaces_refuse_fields_that_they_do_not_know) {
  Server server;
  const json plain{{"q", "a"}, {"model", "en-de"}};
  for (const char* path : {"/v1/attend", "/v1/translate"}) {
    json fields = plain;
    fields["heads_of"] = json::array();
    const auto response = server.post(path, fields);
    EXPECT_EQ(response.status, 400) << path;
    EXPECT_NE(response.body.find("unknown field 'heads_of', did you mean 'heads_off'?"), std::string::npos)
        << response.body;
  }
  for (const char* path : {"/v1/translate/stream", "/v1/next", "/v1/fill"}) {
    json fields = plain;
    fields["n_best"] = 2;
    const auto response = server.post(path, fields);
    EXPECT_NE(response.body.find("unknown field 'n_best'"), std::string::npos) << path << response.body;
  }
  EXPECT_EQ(server.post("/v1/translate", {{"q", "a"}, {"model", "en-de"}, {"api_key", "x"}}).status, 200);
  // Clients of LibreTranslate send fields of other versions of it.
  EXPECT_EQ(server.translate({{"q", "a"}, {"secret", "x"}, {"engine", "libre"}}),
            server.translate({{"q", "a"}}));
  EXPECT_EQ(server.post("/detect", {{"q", "the end"}, {"secret", "x"}}).status, 200);
}

TEST(Service, a_streamed_translation_is_that_of_greedy_search) {
  Server server([](EngineOptions& options, ServiceOptions&) {
    options.search = {{"beam_size", {"1"}, false, ""}};
  });
  const json fields{{"q", "a b c\nd e"}, {"model", "en-de"}};
  const auto values = events(server.post("/v1/translate/stream", fields));
  std::string first;
  for (size_t i = 0; i + 1 < values.size(); ++i)
    if (json::parse(values[i])["sentence"] == 0) first += json::parse(values[i])["text"];
  EXPECT_EQ(first, server.expected("a b c"));
  EXPECT_GT(values.size(), 3u);
  const json last = json::parse(values.back());
  EXPECT_EQ(last, json({{"done", true}, {"text", server.expected("a b c") + "\n" + server.expected("d e")}}));
}

TEST(Service, streams_are_logged_by_a_thread_with_their_bytes) {
  const testing::ScratchFolder folder;
  const std::string path = (folder / "log").string();
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT, 0600));
  std::string written;
  {
    LogWriter log(file.number());
    Server server([&](EngineOptions&, ServiceOptions& options) { options.log = &log; });
    const auto response = server.post("/v1/translate/stream", {{"q", "a b c"}, {"model", "en-de"}});
    EXPECT_EQ(read_file(path), "") << "it has not ended yet";
    response.stream([&](std::string_view part) {
      written += part;
      return true;
    });
  }
  const std::string log = read_file(path);
  EXPECT_NE(log.find("\"POST /v1/translate/stream\" 200 " + std::to_string(written.size()) + " "),
            std::string::npos)
      << log;
}

TEST(Service, what_nobody_waits_for_any_more_ends_in_its_thread) {
  Server server([](EngineOptions& options, ServiceOptions&) { options.queue.workers = 0; });  // all waits
  std::stop_source life;
  HttpRequest request{.method = "POST",
                      .path = "/translate",
                      .headers = {{"content-type", "application/json"}},
                      .body = R"({"q": "a b", "source": "en", "target": "de"})",
                      .life = life.get_token()};
  auto answer = std::async(std::launch::async, [&] { return server.service->handle(request); });
  while (server.metrics.text().find("attune_queue_sentences 1\n") == std::string::npos)
    std::this_thread::yield();
  life.request_stop();
  const HttpResponse response = answer.get();
  EXPECT_EQ(response.status, 503);
  EXPECT_NE(response.body.find("cancelled"), std::string::npos) << response.body;
  EXPECT_NE(server.metrics.text().find("attune_queue_sentences 0\n"), std::string::npos);
}

TEST(Service, looking_inside_has_a_time_limit) {
  Server server([](EngineOptions& options, ServiceOptions&) { options.time_limit = milliseconds(0); });
  const auto response = server.post("/v1/attend", {{"q", "a b c"}, {"model", "en-de"}});
  EXPECT_EQ(response.status, 503) << response.body;
  EXPECT_NE(response.body.find("took too long"), std::string::npos) << response.body;
  EXPECT_NE(header(response, "Retry-After"), "");
}

TEST(Service, sentences_under_way_in_all_threads_have_a_limit) {
  Server server([](EngineOptions& options, ServiceOptions&) {
    options.held_bytes = 3000;  // of two short sentences and their outputs
    options.patience = milliseconds(0);
    options.queue.workers = 0;
  });
  std::stop_source life;
  HttpRequest request{.method = "POST",
                      .path = "/translate",
                      .headers = {{"content-type", "application/json"}},
                      .body = R"({"q": "a\nb", "source": "en", "target": "de"})",
                      .life = life.get_token()};
  auto first = std::async(std::launch::async, [&] { return server.service->handle(request).status; });
  while (server.metrics.text().find("attune_queue_sentences 2\n") == std::string::npos)
    std::this_thread::yield();
  const auto refused = server.post("/translate", {{"q", "c\nd"}, {"source", "en"}, {"target", "de"}});
  EXPECT_EQ(refused.status, 503);
  EXPECT_NE(refused.body.find("too much is under way"), std::string::npos) << refused.body;
  EXPECT_NE(header(refused, "Retry-After"), "");
  life.request_stop();
  EXPECT_EQ(first.get(), 503);
}

TEST(Service, a_cache_gives_the_same_and_counts) {
  Server server([](EngineOptions& options, ServiceOptions&) { options.cache_bytes = 1 << 20; });
  const json first = server.translate({{"q", "a b c"}});
  EXPECT_EQ(server.translate({{"q", "a b c"}}), first);
  const std::string metrics = server.get("/metrics").body;
  EXPECT_NE(metrics.find("attune_cache_hits_total 1"), std::string::npos) << metrics;
  EXPECT_NE(metrics.find("attune_cache_misses_total 1"), std::string::npos);
  EXPECT_NE(metrics.find("attune_requests_total{route=\"/translate\",status=\"200\"} 2"), std::string::npos);
}

TEST(Service, a_reload_takes_what_is_in_the_folder_or_keeps_what_there_was) {
  Server server;
  const json before = server.translate({{"q", "a b c d"}});
  save_random_model(server.scratch / "model", "type: rnn\nembedding: 8\nhidden: 8\n", 4);
  EXPECT_EQ(server.translate({{"q", "a b c d"}}), before);
  server.engine->reload();
  EXPECT_NE(server.translate({{"q", "a b c d"}}), before);
  std::filesystem::remove(server.scratch / "model" / "config.json");
  EXPECT_THROW(server.engine->reload(), Error);
  server.translate({{"q", "a b c d"}});
}

// While one is translated, a batch begins when it is full: here with ten sentences of three words and </s>.
TEST(Service, many_threads_share_batches_and_get_their_own_answers) {
  Server server([](EngineOptions& options, ServiceOptions&) {
    options.queue = {.workers = 2, .batch_tokens = 40, .wait = milliseconds(3'600'000)};
    options.time_limit = milliseconds(600'000);
  });
  std::vector<std::future<json>> answers;
  std::vector<std::string> texts;
  const std::string letters = "abcdefgh";
  for (size_t i = 0; i < 20; ++i)
    texts.push_back({letters[i % 8], ' ', letters[(i / 3) % 8], ' ', letters[(i * 5) % 8]});
  for (const std::string& text : texts)
    answers.push_back(std::async(std::launch::async, [&] { return server.translate({{"q", text}}); }));
  for (size_t i = 0; i < texts.size(); ++i)
    EXPECT_EQ(answers[i].get()["translatedText"], server.expected(texts[i]));
  const std::string metrics = server.get("/metrics").body;
  EXPECT_NE(metrics.find("attune_batch_sentences_sum 20\n"), std::string::npos) << metrics;
}

TEST(ModelPlace, languages_come_from_the_command_line_or_the_folder) {
  const ModelPlace place = parse_model_place("en-zh-Hans=runs/a=b");
  EXPECT_EQ(place.source + "|" + place.target + "|" + place.folder, "en|zh-Hans|runs/a=b");
  EXPECT_EQ(parse_model_place("runs/x").folder, "runs/x");
  for (const char* bad : {"en=x", "en-=x", "EN-DE=x", "en-de=", "e-d=x", "english-german=x"})
    EXPECT_THROW(parse_model_place(bad), UsageError) << bad;
}

}  // namespace
}  // namespace attune::serve
