// The server without sockets: requests in, answers out, through small random models.
#include <gtest/gtest.h>

#include <future>

#include "serve/service_fixture.h"

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

TEST(Service, keys_open_what_is_closed) {
  Server server([](EngineOptions&, ServiceOptions& options) {
    options.keys =
        ApiKeys::parse("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 alice", "keys");
  });
  EXPECT_EQ(server.translate({{"q", "a"}}, 403)["error"], "Invalid API key");
  EXPECT_EQ(server.translate({{"q", "a"}, {"api_key", "tess"}}, 403)["error"], "Invalid API key");
  server.translate({{"q", "a"}, {"api_key", "test"}});
  EXPECT_EQ(server.post("/detect", {{"q", "a"}}, {{"authorization", "Bearer test"}}).status, 200);
  EXPECT_EQ(server.get("/metrics").status, 403);
  EXPECT_EQ(server.get("/v1/models").status, 403);
  EXPECT_EQ(server.get("/health").status, 200);
}

TEST(Service, a_rate_is_kept) {
  Server server([](EngineOptions&, ServiceOptions& options) { options.rate = 3; });
  for (int i = 0; i < 3; ++i) server.translate({{"q", "a"}});
  const auto response = server.post("/translate", {{"q", "a"}});
  EXPECT_EQ(response.status, 429);
  EXPECT_EQ(header(response, "Retry-After"), "20");
  EXPECT_EQ(json::parse(response.body)["error"], "Slowdown: 3 requests a minute are allowed");
}

TEST(Service, pages_elsewhere_may_ask_only_if_told_so) {
  Server closed, open([](EngineOptions&, ServiceOptions&options) { options.cors = "https://a.example"; });
  const HttpRequest asks{.method = "OPTIONS", .path = "/translate"};
  EXPECT_EQ(header(closed.service->handle(asks), "Access-Control-Allow-Origin"), "");
  EXPECT_EQ(header(open.service->handle(asks), "Access-Control-Allow-Origin"), "https://a.example");
  EXPECT_EQ(header(open.service->handle(asks), "Access-Control-Allow-Methods"), "POST");
  EXPECT_EQ(header(closed.get("/health"), "X-Content-Type-Options"), "nosniff");
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

TEST(Service, many_threads_share_batches_and_get_their_own_answers) {
  Server server([](EngineOptions& options, ServiceOptions&) {
    options.queue = {.workers = 2, .batch_tokens = 40, .wait = milliseconds(20)};
  });
  std::vector<std::future<json>> answers;
  std::vector<std::string> texts;
  const std::string letters = "abcdefgh";
  for (size_t i = 0; i < 24; ++i)
    texts.push_back({letters[i % 8], ' ', letters[(i / 3) % 8], ' ', letters[(i * 5) % 8]});
  for (const std::string& text : texts)
    answers.push_back(std::async(std::launch::async, [&] { return server.translate({{"q", text}}); }));
  for (size_t i = 0; i < texts.size(); ++i)
    EXPECT_EQ(answers[i].get()["translatedText"], server.expected(texts[i]));
  const std::string metrics = server.get("/metrics").body;
  EXPECT_EQ(metrics.find("attune_batch_sentences_count 24\n"), std::string::npos)
      << "no batch had two sentences";
  EXPECT_NE(metrics.find("attune_batch_sentences_sum 24\n"), std::string::npos) << metrics;
}

struct Queue {
  testing::ScratchFolder scratch;
  Metrics metrics;
  BatchQueue::Model model;

  Queue() {
    save_random_model(scratch / "model", "type: rnn\nembedding: 8\nhidden: 8\n", 3);
    model = std::make_shared<const ServedModel>(parse_model_place("en-de=" + (scratch / "model").string()),
                                                Entries{});
  }
};

BatchQueue::Time soon(milliseconds time) { return std::chrono::steady_clock::now() + time; }

TEST(BatchQueue, too_much_that_waits_and_too_little_time_are_refused_in_all_threads) {
  Queue set;
  // No worker: all waits.
  BatchQueue queue({.workers = 0, .batch_tokens = 8, .waiting_tokens = 10}, set.metrics);
  const auto status = [&](milliseconds time) {
    try {
      queue.translate(set.model, {}, {"a b c", "a b c"}, soon(time));  // 8 tokens with </s>
    } catch (const HttpRefusal& refusal) {
      EXPECT_GT(refusal.retry_after, 0);
      return std::string(refusal.what()).substr(0, 8);
    }
    return std::string("done");
  };
  auto first = std::async(std::launch::async, [&] { return status(milliseconds(300)); });
  std::this_thread::sleep_for(milliseconds(100));
  EXPECT_EQ(status(milliseconds(1000)), "too much");
  EXPECT_EQ(first.get(), "the tran");
  EXPECT_EQ(status(milliseconds(1)), "the tran");  // what was given up no longer waits
}

TEST(BatchQueue, a_short_request_does_not_wait_for_a_long_one_in_other_threads) {
  Queue set;
  BatchQueue queue({.workers = 1, .batch_tokens = 8, .wait = milliseconds(0)}, set.metrics);
  std::atomic<bool> long_done = false;
  auto long_one = std::async(std::launch::async, [&] {
    const auto outputs =
        queue.translate(set.model, {}, std::vector<std::string>(800, "a b c"), soon(milliseconds(60'000)));
    long_done = true;
    return outputs.size();
  });
  while (set.metrics.text().find("attune_batch_sentences_count 0") != std::string::npos)
    std::this_thread::yield();
  queue.translate(set.model, {}, {"d e f"}, soon(milliseconds(60'000)));
  EXPECT_FALSE(long_done);
  EXPECT_EQ(long_one.get(), 800u);
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
