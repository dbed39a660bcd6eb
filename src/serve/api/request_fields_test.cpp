#include "serve/api/request_fields.h"

#include <gtest/gtest.h>

#include "testing/op_check.h"

namespace attune::serve {
namespace {

using testing::expect_error;

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

}  // namespace
}  // namespace attune::serve
