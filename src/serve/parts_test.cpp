// The small parts of the server: forms, fields, keys, rates, the cache, languages.
#include <gtest/gtest.h>

#include "serve/api_keys.h"
#include "serve/cut_document.h"
#include "serve/detect_language.h"
#include "serve/fields.h"
#include "serve/form.h"
#include "serve/rate_limit.h"
#include "serve/translation_cache.h"
#include "testing/op_check.h"

namespace attune::serve {
namespace {

using std::chrono::seconds;
using testing::expect_error;

TEST(Form, names_and_values_are_decoded) {
  EXPECT_EQ(parse_form("q=Gr%C3%BC%c3%9fe+dich&&a&b=%3D=%26&=x"),
            (FormFields{{"q", "Grüße dich"}, {"a", ""}, {"b", "==&"}, {"", "x"}}));
  EXPECT_EQ(parse_form(""), FormFields{});
  for (const char* bad : {"a=%", "a=%1", "a=%zz", "%-1=b"}) EXPECT_FALSE(parse_form(bad)) << bad;
}

HttpRequest post(const std::string& type, const std::string& body) {
  return {.method = "POST", .headers = {{"content-type", type}}, .body = body};
}
HttpRequest post_json(const std::string& body) { return post("application/json; charset=utf-8", body); }

TEST(Fields, json_and_forms_say_the_same) {
  for (const auto& request : {post_json(R"({"q": ["a", "b"], "n": 3, "on": true})"),
                              post("application/x-www-form-urlencoded", "q=a&n=3&q=b&on=true")}) {
    const RequestFields fields(request);
    EXPECT_EQ(fields.texts("q").all, (std::vector<std::string>{"a", "b"}));
    EXPECT_TRUE(fields.texts("q").array);
    EXPECT_EQ(fields.integer("n", 0, 0, 9), 3);
    EXPECT_TRUE(fields.flag("on"));
    EXPECT_EQ(fields.text("none", "x"), "x");
    expect_error([&] { fields.integer("n", 0, 0, 2); }, "n should be a whole number from 0 to 2");
    expect_error([&] { fields.required("none"); }, "Invalid request: missing none parameter");
    expect_error([&] { fields.text("q", ""); }, "q should be a text");
  }
}

TEST(Fields, what_is_neither_json_nor_a_form_is_refused) {
  const auto refused = [](const HttpRequest& request, int status) {
    try {
      RequestFields(request).texts("q");
      ADD_FAILURE() << request.body;
    } catch (const HttpRefusal& refusal) {
      EXPECT_EQ(refusal.status, status) << request.body;
    }
  };
  for (const std::string body :
       {"", "{", "[]", "7", R"({"q": 7})", R"({"q": [1]})", R"({"q": []})", R"({"q": ""})",
        "{\"q\": \"\xff\"}", R"({"q": "\u0000"})", R"({"q": "\ud800"})", R"({"q": "a"} x)"})
    refused(post_json(body), 400);
  refused(post_json(R"({"q": )" + std::string(100'000, '[')), 400);
  refused(post_json(R"({"q": )" + std::string(20, '[') + std::string(20, ']') + "}"), 400);
  refused(post("application/x-www-form-urlencoded", "q=%ff"), 400);
  refused(post("application/x-www-form-urlencoded", "q=%00"), 400);
  refused(post("text/plain", "q=a"), 415);
  for (const std::string body :
       {"", "--x", "--x\r\n\r\na\r\n--x--", "--x\r\nContent-Disposition: form-data; name=q\r\n\r\na"})
    refused(post("multipart/form-data; boundary=x", body), 400);
}

TEST(ApiKeys, a_key_is_known_by_its_sum) {
  const std::string sum = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";  // of "test"
  const ApiKeys keys = ApiKeys::parse("# who may\n\n" + sum + " alice 600 # to June\n", "keys");
  ASSERT_NE(keys.find("test"), nullptr);
  EXPECT_EQ(keys.find("test")->name, "alice");
  EXPECT_EQ(keys.find("test")->rate, 600);
  for (const std::string wrong : {"", "tess", "test ", sum.c_str()}) EXPECT_EQ(keys.find(wrong), nullptr);
  EXPECT_FALSE(ApiKeys().needed());
  for (const std::string& line :
       {std::string("test alice"), sum, sum + " a b", sum + " a 1 c", "x" + sum.substr(1) + " a"})
    expect_error([&] { ApiKeys::parse("#\n" + line, "keys"); }, "keys:2: a line should hold the SHA-256 sum");
  expect_error([&] { ApiKeys::parse("# none\n", "keys"); }, "keys: there is no key in it");
}

TEST(RateLimit, a_minute_has_so_many_requests_for_each_client) {
  RateLimit limit;
  const RateLimit::Time start{seconds(1000)};
  for (int i = 0; i < 6; ++i) EXPECT_EQ(limit.wait("a", 6, start), 0);
  EXPECT_EQ(limit.wait("a", 6, start), 10);
  EXPECT_EQ(limit.wait("b", 6, start), 0);
  EXPECT_EQ(limit.wait("a", 6, start + seconds(4)), 6);
  EXPECT_EQ(limit.wait("a", 6, start + seconds(10)), 0);
  EXPECT_EQ(limit.wait("a", 6, start + seconds(10)), 10);
  EXPECT_EQ(limit.wait("a", 0, start + seconds(10)), 0);
}

TEST(RateLimit, quiet_clients_are_forgotten) {
  RateLimit limit;
  const RateLimit::Time start{seconds(1000)};
  for (int i = 0; i < 100; ++i) limit.wait(std::to_string(i), 6, start);
  EXPECT_EQ(limit.clients(), 100u);
  limit.wait("a", 6, start + seconds(61));
  EXPECT_EQ(limit.clients(), 1u);
}

TEST(TranslationCache, the_longest_unused_go_first) {
  const TranslationCache::Outputs outputs{Hypothesis{.words = {1, 2}}};
  TranslationCache cache(2000);
  const auto key = [](int i) { return TranslationCache::Key{1, 1, std::to_string(i)}; };
  int kept = 0;
  for (; cache.bytes() + 600 < 2000; ++kept) cache.add(key(kept), outputs);
  ASSERT_GE(kept, 3);
  EXPECT_EQ(cache.find(key(0))->at(0).words, outputs[0].words);
  for (int i = 100; i < 100 + kept; ++i) {
    EXPECT_TRUE(cache.find(key(0)));  // in use
    cache.add(key(i), outputs);
    EXPECT_LE(cache.bytes(), 2000u);
  }
  EXPECT_FALSE(cache.find(key(1)));
  EXPECT_FALSE(cache.find({2, 1, "0"}));
  EXPECT_FALSE(cache.find({1, 2, "0"}));
  cache.add({1, 1, std::string(3000, 'x')}, outputs);
  EXPECT_LE(cache.bytes(), 2000u);
  EXPECT_TRUE(cache.find(key(0)));
}

TEST(CutDocument, all_but_the_sentences_stays) {
  const std::string text = "\n  One two. Three!\r\n---\n\tFour \n\n12 345\n";
  const auto lines = cut_document(text, 0, [](const std::string&) { return 1; });
  std::vector<std::string> sentences;
  for (const CutLine& line : lines)
    for (const TextPart& part : line.parts) sentences.push_back(part.text);
  EXPECT_EQ(sentences, (std::vector<std::string>{"One two.", "Three!", "Four"}));
  EXPECT_EQ(join_document(lines, sentences), text);
  EXPECT_EQ(join_document(lines, {"A.", "B!", "C"}), "\n  A. B!\r\n---\n\tC \n\n12 345\n");
  EXPECT_TRUE(cut_document("", 0, [](const std::string&) { return 1; }).empty());
}

TEST(DetectLanguage, finds_the_language_among_those_that_are_served) {
  const std::vector<std::string> all{"en", "de", "fr", "es", "it", "zh", "ja", "ru", "uk", "el"};
  for (const auto& [language, text] : std::vector<std::pair<std::string, std::string>>{
           {"en", "The weather is fine and they have not seen it."},
           {"de", "Das Wetter ist schön und wir sind nicht zu Hause."},
           {"fr", "Le temps est beau et nous ne sommes pas dans la maison."},
           {"es", "El tiempo es bueno y no estamos en la casa, pero más tarde sí."},
           {"it", "Il tempo è bello e non sono nella casa della nonna."},
           {"zh", "今天天气很好。"},
           {"ja", "今日はとても良い天気です。"},
           {"ru", "Сегодня хорошая погода, и мы не дома."},
           {"uk", "Сьогодні гарна погода, і ми не вдома."},
           {"el", "Ο καιρός είναι καλός σήμερα."}}) {
    const auto found = detect_language(text, all);
    EXPECT_EQ(found[0].language, language) << text;
    EXPECT_GT(found[0].confidence, 40) << text;
    EXPECT_LE(found[0].confidence, 100);
  }
  EXPECT_TRUE(detect_language("123 !?", all).empty());
  std::string cut =
      "The weather is fine and they have not seen it. a";  // 49 bytes, so that a letter is cut in two
  while (cut.size() < 300'000) cut += "ж";
  EXPECT_EQ(detect_language(cut, all)[0].language, "ru");
  EXPECT_EQ(detect_language("今天", {"en"})[0].confidence, 0);
}

}  // namespace
}  // namespace attune::serve
