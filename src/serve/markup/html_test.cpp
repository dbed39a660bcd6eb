// HTML: what is text, what is markup, and what comes back as it was sent.
#include "serve/markup/html.h"

#include <gtest/gtest.h>
#include <gumbo.h>

#include "serve/markup/cut_document.h"
#include "serve/markup/html_tokens.h"
#include "text/utf8.h"

namespace attune::serve {
namespace {

using Texts = std::vector<std::string>;

Texts texts(std::string_view html) {
  Texts all;
  for (const HtmlRun& run : cut_html(html))
    if (!run.text.empty()) all.push_back(run.text);
  return all;
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
  EXPECT_EQ(runs[2].before + runs[2].text, "");
}

TEST(Html, text_beyond_ascii_is_text) {
  EXPECT_EQ(texts("二〇二六年十一月十六日"), Texts{"二〇二六年十一月十六日"});
  EXPECT_EQ(texts("<p>Ünïcödé 😀 текст</p>"), Texts{"Ünïcödé 😀 текст"});
  EXPECT_EQ(texts("<p title='日本'>日本語<b>テキスト</b></p>"), Texts{"日本語テキスト"});
}

TEST(Html, references_are_those_of_html) {
  EXPECT_EQ(texts("Espa&ntilde;a &copy; &Ccaron;apek"), Texts{"España © Čapek"});
  EXPECT_EQ(texts("a&#228;&#x41;&uuml; &copy b"), Texts{"aäAü © b"});
  EXPECT_EQ(texts("&notit; &ampamp; AT&T x&y; &#xD800; &unknown;"),
            Texts{"¬it; &amp; AT&T x&y; \uFFFD &unknown;"});
}

TEST(Html, what_is_not_to_be_translated_stays) {
  for (const char* html :
       {"<p translate=\"no\">Keep</p>", "<p translate='no'>Keep</p>", "<p translate=no>Keep</p>",
        "<P TRANSLATE=NO>Keep</P>", "<div class='a notranslate b'><p>Keep</p><ul><li>Keep</ul></div>",
        "<div translate=no><span translate=no>Keep</span> <b>Keep</b><div>Keep</div></div>",
        "<pre>Keep <b>x</b></pre>", "<span translate=no><div>Keep</div></span>",
        "<textarea>Keep <b></textarea>", "<code>Keep</code>", "<ul><li translate=no>Keep</ul>",
        "<math><mi>x</mi></math>", "<p translate=no>Keep"})
    EXPECT_EQ(texts(html), Texts{}) << html;
  EXPECT_EQ(texts("<a href=\"notranslate.html\">Go</a>"), Texts{"Go"});
  EXPECT_EQ(texts("<p data-translate=no title='translate=\"no\"' class=nottranslate>Go</p>"), Texts{"Go"});
  EXPECT_EQ(texts("<p translate=no>Keep<p>Go"), Texts{"Go"});
  EXPECT_EQ(texts("<ul><li translate=no>Keep</ul>Go"), Texts{"Go"});
  EXPECT_EQ(texts("<b><div translate=no>Keep</b>Keep</div>Go"), Texts{"Go"});
  EXPECT_EQ(texts("<code translate=yes>Go</code>"), Texts{"Go"});
  EXPECT_EQ(texts("Go <code>x</code> on"), Texts{"Go x on"});
}

TEST(Html, comments_end_where_they_end_in_browsers) {
  EXPECT_EQ(texts("Go <!-- a -- > b"), Texts{"Go"});
  EXPECT_EQ(texts("Go <!--> on"), Texts{"Go  on"});
  EXPECT_EQ(texts("Go <!-- a --!> on <! b > c"), Texts{"Go  on  c"});
  EXPECT_EQ(texts("<!-- Keep"), Texts{});
}

// What browsers show of small documents.
std::string shown_by_gumbo(const std::string& html) {
  GumboOutput* output = gumbo_parse_with_options(&kGumboDefaultOptions, html.data(), html.size());
  std::string text;
  std::vector<const GumboNode*> open{output->root};
  while (!open.empty()) {
    const GumboNode* node = open.back();
    open.pop_back();
    if (node->type == GUMBO_NODE_TEXT || node->type == GUMBO_NODE_WHITESPACE) text += node->v.text.text;
    if (node->type != GUMBO_NODE_ELEMENT) continue;
    const GumboVector& children = node->v.element.children;
    for (unsigned i = children.length; i > 0; --i)
      open.push_back(static_cast<const GumboNode*>(children.data[i - 1]));
  }
  gumbo_destroy_output(&kGumboDefaultOptions, output);
  return text;
}

std::string shown_by_tokens(std::string_view html) {
  std::string text;
  for (HtmlTokens tokens(html); const auto token = tokens.next();) {
    if (token->kind == HtmlToken::Kind::raw) text += token->source;
    if (token->kind != HtmlToken::Kind::text) continue;
    for (std::string_view rest = token->source; !rest.empty();) {
      const auto reference = rest.starts_with('&') ? html_reference(rest) : std::nullopt;
      text += reference ? reference->text : std::string(rest.substr(0, 1));
      rest.remove_prefix(reference ? reference->length : 1);
    }
  }
  return text;
}

TEST(Html, tokens_are_those_of_another_parser) {
  for (const std::string html : {"a<b c='>'d=\">\" e=>f",
                                 "a<b c=d/>e</b/>f",
                                 "a< b<1<é</é>c",
                                 "x</>y</ z>w",
                                 "a<!>b<!x>c<?d>e",
                                 "a<!-->b<!--->c<!-- -- -->d<!----!>e",
                                 "a<!--",
                                 "a<b",
                                 "a</b c",
                                 "a<b c='d>e",
                                 "<title>a<b>&amp;</title>c",
                                 "x<style>a</styl></STYLE >b",
                                 "x<script>a</script/>b",
                                 "x<textarea>a</textareas>b</textarea>c",
                                 "a<b\nc\t=\n'd'>e",
                                 "a<b c = d>e",
                                 "a<b =c>d",
                                 "a<b c'd>e'f",
                                 "ä<b ö=ü>ß",
                                 "a&#0;&#x110000;b",
                                 "x<xmp><b></xmp>y",
                                 "a<iframe><b>c</iframe>d"})
    EXPECT_EQ(shown_by_tokens(html), shown_by_gumbo(html)) << html;
}

// Every sentence stays as it is: then all of the document does, but for how its characters are written.
std::string unchanged(std::string_view html) {
  const auto lines = cut_html_document(html, 0, [](const std::string&) { return std::vector<int32_t>{3}; });
  Texts outputs;
  for (const CutLine& line : lines)
    for (size_t i = 0; i < line.parts.size(); ++i) {
      AlignedOutput output{line.parts[i].text, {}};
      for (size_t at = 0; at < output.text.size(); ++at) output.tokens.push_back({at, at + 1, at, at + 1});
      outputs.push_back(place_markup(line.parts[i].text, line.marks[i], output, escape_html));
    }
  return join_document(lines, outputs);
}

TEST(Html, what_is_not_translated_comes_back_as_it_was_sent) {
  for (const std::string html : {"<p>One <b>two</b> three. <i>Four</i> five!</p>",
                                 "a <a href=\"x?a=1&b='2'>\">link</a> b",
                                 "A<br>B<br/>C",
                                 "x <code>a &lt; <b>b</b></code> y",
                                 "<span translate=\"no\">Keep <b>me</b></span> not",
                                 "a &lt; b &amp; c",
                                 "<ul>\n<li>One</li>\n<li>Two</li>\n</ul>",
                                 "<pre>a  b</pre>c",
                                 "bar &amp;foo; baz",
                                 "one <img src=x> two",
                                 "<b>one <i>two</i></b> <u>three</u>",
                                 "<script>x</script>",
                                 "",
                                 "<p></p>",
                                 "<b>One. Two.</b>",
                                 "<p>\n\t<b> One\r\n</b>\n</p>\n",
                                 "One.\n  Two.&nbsp; Three.",
                                 "&nbsp;One&nbsp;",
                                 "<p>Привет, <b>мир</b>! 你好。<i>世界</i>。</p>",
                                 "one <!-- two --> three",
                                 "one <!-- two",
                                 "one <b",
                                 "x<br",
                                 "<P Class=A>One</P>",
                                 "un<b>believ</b>able",
                                 "1 &lt; 2 &copy; <b>3</b>",
                                 "<div translate=no>A &copy; b</div>"})
    EXPECT_EQ(unchanged(html), html);
  EXPECT_EQ(unchanged("a < b"), "a &lt; b");
}

TEST(Html, broken_markup_takes_linear_time_and_loses_nothing) {
  for (const std::string part : {"<a",
                                 "<b>",
                                 "</i>",
                                 "<!--",
                                 "&",
                                 "<script>",
                                 "</",
                                 "<a '",
                                 "<b><i>",
                                 "<div>",
                                 "<b x><p>",
                                 "<p translate=no>",
                                 "</div>",
                                 "<code>",
                                 "&amp",
                                 "&x1",
                                 "ж",
                                 "<",
                                 "\n",
                                 "<b></b>",
                                 "{",
                                 "%(",
                                 "<div><b></div>"}) {
    std::string html = "x ";
    for (int i = 0; i < 50'000; ++i) html += part;
    size_t bytes = 0;
    for (const HtmlRun& run : cut_html(html)) {
      bytes += run.before.size() + run.as_written(0, run.text.size()).size();
      for (const MarkupSpan& mark : run.marks) bytes += mark.before.size() + mark.after.size();
    }
    EXPECT_EQ(bytes, html.size()) << part;
  }
}

}  // namespace
}  // namespace attune::serve
