#include "serve/http/form.h"

#include <gtest/gtest.h>

namespace attune::serve {
namespace {

TEST(Form, names_and_values_are_decoded) {
  EXPECT_EQ(parse_form("q=Gr%C3%BC%c3%9fe+dich&&a&b=%3D=%26&=x"),
            (FormFields{{"q", "Grüße dich"}, {"a", ""}, {"b", "==&"}, {"", "x"}}));
  EXPECT_EQ(parse_form(""), FormFields{});
  for (const char* bad : {"a=%", "a=%1", "a=%zz", "%-1=b"}) EXPECT_FALSE(parse_form(bad)) << bad;
}

}  // namespace
}  // namespace attune::serve
