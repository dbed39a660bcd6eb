// The page and what it asks for.
#include "view/page.h"

#include <gtest/gtest.h>

#include <fstream>

#include "attune/error.h"
#include "serve/api/service_fixture.h"

namespace attune::serve {
namespace {

TEST(Pages, attention_of_a_sentence_is_the_probes) {
  Server server([](EngineOptions& options, ServiceOptions&) { options.models.push_back(options.models[0]); });
  const auto models = server.engine->table()->models();
  ASSERT_EQ(models[1]->name(), "en-de:model");
  const auto seen = [&](const ServedModel& model, const std::optional<std::string>& output) {
    return model.folder().prober({.name = model.name(), .search = model.options()}).look("a b c", output);
  };
  const auto expected = [&](std::vector<view::Attention> all) {
    view::Page page;
    page.sentences.push_back({"", "", std::move(all)});
    return json::parse(view::page_json(page));
  };
  const auto answer = [&](const json& fields) { return json::parse(server.post("/v1/attend", fields).body); };
  EXPECT_EQ(answer({{"q", "a b c"}, {"source", "en"}, {"target", "de"}}), expected({seen(*models[0], {})}));
  EXPECT_EQ(answer({{"q", "a b c"}, {"output", "d"}, {"model", {"en-de", "en-de:model"}}}),
            expected({seen(*models[0], "d"), seen(*models[1], "d")}));
  EXPECT_EQ(server.post("/v1/attend", {{"q", "a"}, {"model", "fr-de"}}).status, 400);
  EXPECT_EQ(server.post("/v1/attend", {{"q", ""}, {"model", "en-de"}}).status, 400);
  EXPECT_EQ(server.post("/v1/attend", {{"q", "a"}, {"model", {"en-de", "en-de", "en-de"}}}).status, 400);
  std::string many;
  for (int i = 0; i < 513; ++i) many += "a ";
  const auto refused = server.post("/v1/attend", {{"q", many}, {"model", "en-de"}});
  EXPECT_EQ(refused.status, 400);
  EXPECT_NE(refused.body.find("514 tokens"), std::string::npos) << refused.body;
}

TEST(Pages, heads_can_be_switched_off_and_attention_moved) {
  Server server([](EngineOptions& options, ServiceOptions&) {
    options.models = {Server::beside(
        options, "transformer", "en-de",
        "type: transformer\nencoder_layers: 1\ndecoder_layers: 2\nd_model: 8\nheads: 2\nfeed_forward: 8\n",
        3)};
  });
  const json plain{{"q", "a b c"}, {"model", "en-de"}, {"output", "d e"}};
  const auto answer = [&](const json& more) {
    json fields = plain;
    fields.update(more);
    return server.post("/v1/attend", fields);
  };
  const std::string before = answer(json::object()).body;
  EXPECT_EQ(answer({{"heads_off", json::array()}, {"look_at", json::array()}}).body, before);
  const json head{{"kind", "cross"}, {"layer", 0}, {"head", 1}};
  const auto off = answer({{"heads_off", {head}}});
  EXPECT_EQ(off.status, 200) << off.body;
  const auto model = [](const std::string& body) { return json::parse(body)["sentences"][0]["models"][0]; };
  EXPECT_NE(model(off.body)["tree"], model(before)["tree"]);
  json moved = head;
  moved.update({{"query", 1}, {"key", 0}});
  EXPECT_NE(model(answer({{"look_at", {moved}}}).body)["tree"], model(before)["tree"]);
  EXPECT_EQ(answer(json::object()).body, before) << "others are not changed by it";

  const std::pair<json, const char*> refused[] = {
      {{{"heads_off", "all"}}, "must be a list"},
      {{{"heads_off", {1}}}, "an object with kind and layer"},
      {{{"heads_off", {{{"kind", "both"}, {"layer", 0}}}}}, "kind must be encoder, decoder or cross"},
      {{{"heads_off", {{{"kind", "cross"}}}}}, "needs a layer"},
      {{{"heads_off", {{{"kind", "cross"}, {"layer", -1}}}}}, "whole number"},
      {{{"heads_off", {{{"kind", "cross"}, {"layer", 1e300}}}}}, "whole number"},
      {{{"heads_off", {{{"kind", "cross"}, {"layer", 0}, {"heads", 1}}}}}, "there is no 'heads'"},
      {{{"heads_off", {{{"kind", "cross"}, {"layer", 2}}}}}, "no cross attention in a layer 2"},
      {{{"heads_off", {{{"kind", "cross"}, {"layer", 0}, {"head", 2}}}}}, "has the heads 0 to 1"},
      {{{"heads_off", json(std::vector<json>(1001, head))}}, "at most 1000"},
      {{{"look_at", {head}}}, "needs a key"},
      {{{"look_at", {{{"kind", "cross"}, {"layer", 0}, {"key", 9}}}}}, "there is no token 9"},
      {{{"look_at", {{{"kind", "decoder"}, {"layer", 0}, {"query", 0}, {"key", 1}}}}},
       "cannot look at a later one"},
      {{{"matrices", {{"kind", "cross"}, {"layer", "0"}}}}, "whole number"},
      {{{"begin", {"d"}}}, "without output"},
  };
  for (const auto& [fields, words] : refused) {
    const auto response = answer(fields);
    EXPECT_EQ(response.status, 400) << fields;
    EXPECT_NE(response.body.find(words), std::string::npos) << response.body;
  }
}

TEST(Pages, a_search_begins_with_tokens_and_gradients_come_when_they_are_asked_for) {
  Server server;
  const auto answer = [&](const json& more) {
    json fields{{"q", "a b c"}, {"model", "en-de"}};
    fields.update(more);
    const auto response = server.post("/v1/attend", fields);
    EXPECT_EQ(response.status, 200) << response.body;
    return json::parse(response.body)["sentences"][0]["models"][0];
  };
  const json seen = answer(json::object());
  EXPECT_FALSE(seen.contains("gradients"));
  EXPECT_EQ(answer({{"gradients", true}})["gradients"].size(), 2U);
  const json candidates = seen["tree"][0]["candidates"];
  const json other = answer({{"begin", {candidates[1]["token"]}}});
  EXPECT_EQ(other["decoder_outputs"][0], candidates[1]["token"]);
  EXPECT_TRUE(answer({{"begin", {"a", "</s>"}}})["forced"]);
  EXPECT_EQ(server.post("/v1/attend", {{"q", "a"}, {"model", "en-de"}, {"begin", {"zz"}}}).status, 400);
}

TEST(Pages, runs_are_shown_by_their_names_alone) {
  const testing::ScratchFolder folders;
  std::filesystem::create_directories(folders / "first");
  std::ofstream(folders / "first" / "metrics.jsonl") << R"({"kind":"training","update":1,"loss":2.5})"
                                                     << "\n{";
  Server server([&](EngineOptions& options, ServiceOptions&) {
    options.runs = run_places({(folders / "first").string() + "/"});
  });
  EXPECT_EQ(json::parse(server.get("/v1/runs").body)["data"], json({{{"id", "first"}, {"object", "run"}}}));
  const auto run = [&](const std::string& query) {
    return server.service->handle({.method = "GET", .path = "/v1/run", .query = query});
  };
  const json shown = json::parse(run("name=first").body)["runs"][0];
  EXPECT_EQ(shown["name"], "first");
  EXPECT_EQ(shown["metrics"], json::parse(R"([{"kind":"training","update":1,"loss":2.5}])"));
  EXPECT_EQ(run("name=" + (folders / "first").string()).status, 404);
  EXPECT_EQ(run("name=../first").status, 404);
  EXPECT_EQ(run("").status, 400);
  std::filesystem::remove(folders / "first" / "metrics.jsonl");
  EXPECT_EQ(run("name=first").status, 404);
  EXPECT_EQ(run("name=first").body.find(folders.path().string()), std::string::npos);
  EXPECT_THROW(run_places({(folders / "first").string()}), UsageError);
}

TEST(Pages, a_run_that_is_known_is_not_sent_again) {
  const testing::ScratchFolder folders;
  std::filesystem::create_directories(folders / "a");
  std::ofstream log(folders / "a" / "metrics.jsonl");
  log << "{\"update\":1}\n" << std::flush;
  Server server([&](EngineOptions& options, ServiceOptions&) {
    options.runs = run_places({(folders / "a").string()});
  });
  const auto run = [&](const std::string& tag) {
    return server.service->handle(
        {.method = "GET", .path = "/v1/run", .query = "name=a", .headers = {{"if-none-match", tag}}});
  };
  const std::string tag = header(run(""), "ETag");
  EXPECT_EQ(run(tag).status, 304);
  EXPECT_EQ(run(tag).body, "");
  log << "{\"update\":2}\n" << std::flush;
  EXPECT_EQ(run(tag).status, 200);
  EXPECT_NE(header(run(tag), "ETag"), tag);
}

TEST(Pages, a_folder_of_runs_stands_for_all_of_them) {
  const testing::ScratchFolder folders;
  for (const char* name : {"über", "attention", "plots"}) std::filesystem::create_directories(folders / name);
  EXPECT_THROW(run_places({folders.path().string()}), UsageError);
  for (const char* name : {"über", "attention"}) std::ofstream(folders / name / "metrics.jsonl") << "";
  const auto places = run_places({folders.path().string()});
  ASSERT_EQ(places.size(), 2);
  EXPECT_EQ(places[0].name, "attention");
  EXPECT_EQ(places[1].name, "über");
  EXPECT_EQ(places[1].folder, (folders / "über").string());
  EXPECT_THROW(run_places({folders.path().string(), (folders / "über").string()}), UsageError);
}

TEST(Pages, the_page_runs_its_own_program_alone) {
  Server server([](EngineOptions& options, ServiceOptions& service) {
    service.keys = ApiKeys::parse(std::string(64, '0') + " alice\n", "keys");
    options.keys_needed = true;
  });
  const HttpResponse page = server.get("/");
  if (!view::has_pages()) {
    EXPECT_EQ(page.status, 404);
    return;
  }
  EXPECT_EQ(page.status, 200);  // it holds nothing that a key would protect
  EXPECT_EQ(page.content_type, "text/html; charset=utf-8");
  const std::string policy = header(page, "Content-Security-Policy");
  EXPECT_TRUE(policy.starts_with("default-src 'none'; script-src 'sha256-")) << policy;
  EXPECT_EQ(policy.find("script-src 'unsafe"), std::string::npos);
  const std::string mark = "id=\"attune-data\">";
  const size_t from = page.body.find(mark) + mark.size();
  const json data = json::parse(page.body.substr(from, page.body.find("</script>", from) - from));
  EXPECT_EQ(data["server"], json({{"runs", json::array()}, {"keys", true}, {"longest", 10'000}}));
}

}  // namespace
}  // namespace attune::serve
