// Tags and placeholders find their places.
#include "serve/marks.h"

#include <gtest/gtest.h>

#include "serve/cut_document.h"
#include "serve/html.h"
#include "serve/placeholders.h"
#include "text/vocabulary_trainer.h"

namespace attune::serve {
namespace {

std::string same(std::string_view text) { return std::string(text); }

// A sentence of words whose translation has them in another order, each with a prime.
struct Reordered {
  std::string sentence;
  AlignedOutput output;

  Reordered(const std::string& words, const std::vector<size_t>& order) : sentence(words) {
    std::vector<std::pair<size_t, size_t>> places;
    for (size_t begin = 0; begin < words.size();) {
      const size_t end = std::min(words.find(' ', begin), words.size());
      places.emplace_back(begin, end);
      begin = end + 1;
    }
    for (const size_t i : order) {
      const size_t begin = output.text.size();
      output.text +=
          (begin == 0 ? "" : " ") + words.substr(places[i].first, places[i].second - places[i].first) + "'";
      output.tokens.push_back({begin, output.text.size(), places[i].first, places[i].second});
    }
  }
  std::string operator()(const std::vector<Mark>& marks) const {
    return place_marks(sentence, marks, output, same);
  }
};

TEST(Marks, go_where_their_words_went) {
  const Reordered swapped("aa bb cc dd", {2, 3, 0, 1});
  EXPECT_EQ(swapped({}), "cc' dd' aa' bb'");
  EXPECT_EQ(swapped({{0, 2, "<b>", "</b>"}}), "cc' dd' <b>aa'</b> bb'");
  EXPECT_EQ(swapped({{0, 5, "<b>", "</b>"}, {6, 8, "<i>", "</i>"}}), "<i>cc'</i> dd' <b>aa' bb'</b>");
  EXPECT_EQ(swapped({{0, 5, "<b>", "</b>"}, {3, 5, "<i>", "</i>"}}), "cc' dd' <b>aa' <i>bb'</i></b>");
  EXPECT_EQ(swapped({{0, 11, "<p>", "</p>"}, {9, 11, "<i>", "</i>"}}), "<p>cc' <i>dd'</i> aa' bb'</p>");
  EXPECT_EQ(swapped({{3, 5, "{x}", "", true}}), "cc' dd' aa' {x}");
}

TEST(Marks, survive_when_nothing_became_of_their_words) {
  const Reordered lost("aa bb cc", {2, 0});
  EXPECT_EQ(lost({{3, 5, "<b>", "</b>"}}), "<b></b>cc' aa'");
  EXPECT_EQ(lost({{3, 5, "{x}", "", true}, {6, 6, "<img>", ""}}), "{x}<img>cc' aa'");
  const Reordered nothing("aa bb", {});
  EXPECT_EQ(nothing({{0, 2, "<b>", "</b>"}, {3, 5, "%s", "", true}}), "<b></b> %s");
}

TEST(Marks, a_part_that_was_scattered_takes_its_longest_piece) {
  const Reordered scattered("aa bb cc dd", {0, 3, 1, 2});
  EXPECT_EQ(scattered({{0, 8, "<b>", "</b>"}}), "aa' dd' <b>bb' cc'</b>");
}

TEST(Marks, tokens_of_vocabularies_have_their_places) {
  const std::shared_ptr<const Vocabulary> words =
      train_vocabulary({{1, [](int64_t) { return "one two drei vier"; }}}, {.kind = VocabularyKind::word});
  const Hypothesis output{.words = words->encode("vier drei"),
                          .alignment = {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}}};
  const AlignedOutput aligned = aligned_output({words, words}, "one two", output);
  EXPECT_EQ(aligned.text, "vier drei");
  ASSERT_EQ(aligned.tokens.size(), 2u);
  EXPECT_EQ(place_marks("one two", {{4, 7, "<b>", "</b>"}}, aligned, same), "<b>vier</b> drei");
  EXPECT_EQ(place_marks("one two", {{0, 3, "<b>", "</b>"}}, aligned, same), "vier <b>drei</b>");
}

std::vector<std::string> placeholders(std::string_view text) {
  std::vector<std::string> all;
  for (const Mark& mark : find_placeholders(text)) {
    EXPECT_EQ(text.substr(mark.begin, mark.end - mark.begin), mark.before);
    all.push_back(mark.before);
  }
  return all;
}

using Texts = std::vector<std::string>;

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

TEST(Placeholders, only_those_that_were_lost_come_back) {
  const auto marks = find_placeholders("{a} {b} {a}");
  EXPECT_EQ(lost_placeholders(marks, "x {a} y {b} {a}").size(), 0u);
  EXPECT_EQ(lost_placeholders(marks, "{b}").size(), 2u);
}

TEST(Html, runs_have_text_and_marks) {
  const auto runs = cut_html(
      "<p class='a>b'>One <b>two &amp; <i>three</i></b>.</p><!-- no --><script>if (a<b) x</script>\n<li>1 "
      "2</li>Four");
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_EQ(runs[0].before, "<p class='a>b'>");
  EXPECT_EQ(runs[0].text, "One two & three.");
  ASSERT_EQ(runs[0].marks.size(), 2u);
  EXPECT_EQ(runs[0].marks[0].before + runs[0].marks[0].after, "<b></b>");
  EXPECT_EQ(runs[0].text.substr(runs[0].marks[1].begin, runs[0].marks[1].end - runs[0].marks[1].begin),
            "three");
  EXPECT_EQ(runs[1].before, "</p><!-- no --><script>if (a<b) x</script>\n<li>1 2</li>");
  EXPECT_EQ(runs[1].text, "Four");
  EXPECT_EQ(runs[2].text, "");
}

// Every sentence stays as it is: then all of the document does, but for how its entities are written.
std::string unchanged(std::string_view html) {
  const auto lines = cut_html_document(html, 0, [](const std::string&) { return 1; });
  std::vector<std::string> outputs;
  for (const CutLine& line : lines)
    for (size_t i = 0; i < line.parts.size(); ++i) {
      AlignedOutput output{line.parts[i].text, {}};
      for (size_t at = 0; at < output.text.size(); ++at) output.tokens.push_back({at, at + 1, at, at + 1});
      outputs.push_back(place_marks(line.parts[i].text, line.marks[i], output, escape_html));
    }
  return join_document(lines, outputs);
}

TEST(Html, what_is_not_translated_stays) {
  for (const std::string html :
       {"<p>One <b>two</b> three. <i>Four</i> five!</p>", "a <a href=\"x?a=1&b='2'>\">link</a> b",
        "A<br>B<br/>C", "x <code>a &lt; <b>b</b></code> y",
        "<span translate=\"no\">Keep <b>me</b></span> not", "a &lt; b &amp; c",
        "<ul>\n<li>One</li>\n<li>Two</li>\n</ul>", "<pre>a  b</pre>c", "bar &foo; baz", "one <img src=x> two",
        "<b>one <i>two</i></b> <u>three</u>", "<script>x</script>", "", "<p></p>"})
    EXPECT_EQ(unchanged(html), html);
  EXPECT_EQ(unchanged("<b>One. Two.</b>"), "<b>One.</b> <b>Two.</b>");
  EXPECT_EQ(unchanged("a&#228;&#x41;&uuml; &copy b"), "aäAü &amp;copy b");
  EXPECT_EQ(unchanged("a < b <c"), "a &lt; b &lt;c");
}

TEST(Html, broken_markup_takes_linear_time_and_loses_nothing) {
  const auto repeated = [](const std::string& part) {
    std::string all = "x ";
    for (int i = 0; i < 50'000; ++i) all += part;
    return all;
  };
  for (const std::string part : {"<a", "<b>", "</i>", "<!--", "&", "<script>", "</", "<a '", "<b><i>"}) {
    const auto runs = cut_html(repeated(part));
    size_t bytes = 0;
    for (const HtmlRun& run : runs) {
      bytes += run.before.size() + run.text.size();
      for (const Mark& mark : run.marks) bytes += mark.before.size() + mark.after.size();
    }
    EXPECT_EQ(bytes, repeated(part).size()) << part;
  }
}

}  // namespace
}  // namespace attune::serve
