// Completions as clients of OpenAI's interface know them.
#include <gtest/gtest.h>

#include <set>

#include "serve/api/service_fixture.h"

namespace attune::serve {
namespace {

struct Completions : Server {
  Completions()
      : Server([](EngineOptions& options, ServiceOptions&) {
          options.models.push_back(beside(
              options, "tiny", "", "type: gpt\nlayers: 1\nd_model: 8\nheads: 2\nfeed_forward: 8\n", 5));
        }) {}

  json ask(json fields, int status = 200) {
    fields["model"] = fields.value("model", "tiny");
    const auto response = post("/v1/completions", fields);
    EXPECT_EQ(response.status, status) << response.body;
    return json::parse(response.body);
  }
  json refused(const json& fields, int status = 400) { return ask(fields, status)["error"]; }
};

TEST(Completions, are_openais) {
  Completions server;
  json fields{{"model", "tiny"}, {"prompt", "a b"}, {"max_tokens", 7}, {"temperature", 1.5}, {"seed", 1}};
  const json whole = server.ask(fields);
  EXPECT_EQ(whole["object"], "text_completion");
  const int64_t count = whole["usage"]["completion_tokens"];
  EXPECT_LE(count, 7);
  const std::string reason = whole["choices"][0]["finish_reason"];
  EXPECT_EQ(reason, count == 7 ? "length" : "stop");

  fields.update({{"stream", true}, {"stream_options", {{"include_usage", true}}}});
  const auto values = events(server.post("/v1/completions", fields));
  ASSERT_GE(values.size(), 3u);
  EXPECT_EQ(values.back(), "[DONE]");
  std::string text;
  for (size_t i = 0; i + 2 < values.size(); ++i) text += json::parse(values[i])["choices"][0]["text"];
  EXPECT_EQ(text, whole["choices"][0]["text"]);
  EXPECT_EQ(json::parse(values[values.size() - 2])["usage"], whole["usage"]);
  EXPECT_EQ(server.post("/translate", {{"q", "a"}, {"source", "en"}, {"target", "de"}}).status, 200);
}

TEST(Completions, several_prompts_have_several_choices) {
  Completions server;
  const json fields{{"prompt", {"a b", "c"}}, {"n", 3}, {"max_tokens", 5}, {"echo", true}, {"seed", 7}};
  const json all = server.ask(fields);
  ASSERT_EQ(all["choices"].size(), 6u);
  for (size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(all["choices"][i]["index"], i);
    EXPECT_TRUE(all["choices"][i]["text"].get<std::string>().starts_with(i < 3 ? "a b" : "c"));
  }
  EXPECT_NE(all["choices"][0]["text"], all["choices"][1]["text"]);
  EXPECT_EQ(server.ask(fields)["choices"], all["choices"]);
}

TEST(Completions, are_drawn_anew_each_time_and_have_ids_of_their_own) {
  Completions server;
  std::set<std::string> texts, ids;
  for (int i = 0; i < 8; ++i) {
    const json answer = server.ask({{"prompt", "a b"}, {"max_tokens", 40}, {"temperature", 2}});
    texts.insert(answer["choices"][0]["text"]);
    ids.insert(answer["id"]);
  }
  EXPECT_GT(texts.size(), 1u);
  EXPECT_EQ(ids.size(), 8u);
}

TEST(Completions, what_has_no_effect_is_refused) {
  Completions server;
  for (const json& fields :
       {json{{"logprobs", 2}}, json{{"best_of", 3}}, json{{"presence_penalty", 0.5}},
        json{{"frequency_penalty", -1}}, json{{"suffix", "x"}}, json{{"logit_bias", {{"5", 1}}}}}) {
    const json error = server.refused(fields);
    EXPECT_EQ(error["code"], "unsupported_parameter") << fields;
    EXPECT_EQ(error["param"], fields.begin().key());
    EXPECT_EQ(error["type"], "invalid_request_error");
  }
  EXPECT_EQ(server.refused({{"tempreature", 1}})["code"], "unknown_parameter");
  EXPECT_EQ(server.refused({{"prompt", {1, 2}}})["param"], "prompt");
  EXPECT_EQ(server.refused({{"n", 17}})["type"], "invalid_request_error");
  EXPECT_EQ(server.refused({{"n", 9}, {"prompt", {"a", "b"}}})["param"], "n");
  EXPECT_EQ(server.refused({{"stop", {"a", "b", "c", "d", "e"}}})["param"], "stop");
  EXPECT_EQ(server.refused({{"model", "модель"}}, 404)["code"], "model_not_found");
  EXPECT_EQ(server.refused({{"model", "en-de"}})["param"], "model");
  // What says the same as nothing.
  server.ask({{"best_of", 1},
              {"logprobs", nullptr},
              {"presence_penalty", 0},
              {"frequency_penalty", 0.0},
              {"suffix", nullptr},
              {"user", "me"},
              {"stop", {"a"}},
              {"n", 1}});
}

TEST(Completions, models_can_be_asked_for_one_by_one) {
  Completions server;
  const json all = json::parse(server.get("/v1/models").body)["data"];
  ASSERT_EQ(all.size(), 2u);
  for (const json& model : all) {
    EXPECT_EQ(json::parse(server.get("/v1/models/" + model["id"].get<std::string>()).body), model);
    EXPECT_GT(model["created"], 1'600'000'000);
    EXPECT_EQ(model["owned_by"], "attune");
    EXPECT_EQ(model["object"], "model");
  }
  EXPECT_EQ(json::parse(server.get("/v1/models/en%2Dde").body)["id"], "en-de");
  const auto none = server.get("/v1/models/x");
  EXPECT_EQ(none.status, 404);
  EXPECT_EQ(json::parse(none.body)["error"]["code"], "model_not_found");
}

}  // namespace
}  // namespace attune::serve
