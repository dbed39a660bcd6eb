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
