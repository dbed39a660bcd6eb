#include "text/placeholders.h"

#include <gtest/gtest.h>

#include <string>

namespace attune {
namespace {

using Texts = std::vector<std::string>;

Texts placeholders(std::string_view text) {
  Texts all;
  for (const TextSpan& span : find_placeholders(text))
    all.emplace_back(text.substr(span.begin, span.end - span.begin));
  return all;
}

TEST(Placeholders, are_found_and_nothing_else) {
  EXPECT_EQ(placeholders("Hello {name}, {{ user.name }} and ${HOME}: {0:.2f}"),
            (Texts{"{name}", "{{ user.name }}", "${HOME}", "{0:.2f}"}));
  EXPECT_EQ(placeholders("%s has %d of %1$s, %(count)s, %-5.2f%, %@"),
            (Texts{"%s", "%d", "%1$s", "%(count)s", "%-5.2f", "%@"}));
  EXPECT_EQ(placeholders("See https://example.org/a?b=c&d, or (www.example.com/x)."),
            (Texts{"https://example.org/a?b=c&d", "www.example.com/x"}));
  EXPECT_EQ(placeholders("mail a.b+c@example.co.uk."), Texts{"a.b+c@example.co.uk"});
  for (const char* none :
       {"100% sure", "50 %", "a { b } c", "{", "a@b", "@home", "http://", "www.", "{a\nb}", "%", "%("})
    EXPECT_EQ(placeholders(none), Texts{}) << none;
}

TEST(Placeholders, names_and_addresses_have_letters_beyond_ascii) {
  EXPECT_EQ(placeholders("Привет, {имя}! {名前}さん"), (Texts{"{имя}", "{名前}"}));
  EXPECT_EQ(placeholders("см. https://пример.рф/путь?q=да, и"), Texts{"https://пример.рф/путь?q=да"});
  EXPECT_EQ(placeholders("请看https://example.org/a。谢谢"), Texts{"https://example.org/a"});
  EXPECT_EQ(placeholders("HTTPS://EXAMPLE.ORG/A에서"), Texts{"HTTPS://EXAMPLE.ORG/A"});
}

TEST(Placeholders, are_found_in_linear_time) {
  for (const std::string part : {"{", "${{", "%(", "%1", "a@", "www.", "http://", "a+"}) {
    std::string text;
    for (int i = 0; i < 100'000; ++i) text += part;
    EXPECT_LE(find_placeholders(text).size(), 100'000u) << part;
  }
}

}  // namespace
}  // namespace attune
