#include <gtest/gtest.h>

#include "attune/error.h"
#include "view/palette.h"
#include "view/svg.h"
#include "view/terminal.h"
#include "view/width.h"

namespace attune::view {
namespace {

AttentionMatrix small() { return {{"十", "a"}, {"1", "-"}, {{1, 0}, {0.25, 0.75}}}; }

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(DisplayWidth, is_that_of_a_terminal) {
  EXPECT_EQ(display_width("abc"), 3);
  EXPECT_EQ(display_width("二〇二六年"), 10);
  EXPECT_EQ(display_width("ｱ。"), 3);        // half width, then wide
  EXPECT_EQ(display_width("e\u0301▁é"), 3);  // a combining accent takes no room
  EXPECT_EQ(display_width(""), 0);
}

TEST(DisplayWidth, padding_counts_columns_and_never_cuts) {
  EXPECT_EQ(pad_right("十", 4), "十  ");
  EXPECT_EQ(pad_left("十", 4), "  十");
  EXPECT_EQ(pad_right("十五", 3), "十五");
}

TEST(TerminalMap, shades_stand_below_their_words) {
  EXPECT_EQ(terminal_map(small(), Colours::none),
            "  十a\n"
            "1 ██\n"
            "- ░░▓▓\n");
}

TEST(TerminalMap, long_words_are_written_downwards_to_the_cells) {
  EXPECT_EQ(
      terminal_map({{"the", "猫", "e\u0301te"}, {"die", "Katze"}, {{1, 0, 0}, {0, 1, 0}}}, Colours::none),
      "      t   e\u0301\n"
      "      h   t\n"
      "      e 猫e\n"
      "  die ██\n"
      "Katze   ██\n");
}

TEST(TerminalMap, colours_are_painted_for_every_cell_and_end_with_the_line) {
  const std::string full = terminal_map(small(), Colours::full);
  EXPECT_EQ(count(full, "\033[48;2;"), 4);
  EXPECT_EQ(count(full, "\033[0m\n"), 2);
  EXPECT_NE(full.find("1 \033[48;2;253;231;37m  \033[48;2;68;1;84m  \033[0m\n"), std::string::npos);
  const std::string palette = terminal_map(small(), Colours::palette);
  EXPECT_NE(palette.find("1 \033[48;5;220m  \033[48;5;53m  \033[0m\n"), std::string::npos) << palette;
}

TEST(TerminalMap, weights_that_do_not_fit_the_words_are_refused) {
  AttentionMatrix rows = small(), columns = small();
  rows.weights.pop_back();
  columns.weights[1].push_back(0);
  EXPECT_THROW(terminal_map(rows, Colours::none), UsageError);
  EXPECT_THROW(svg(columns), UsageError);
}

TEST(TerminalMap, no_word_gives_no_cell) {
  EXPECT_EQ(terminal_map({}, Colours::none), "");
  EXPECT_EQ(terminal_map({{}, {"a"}, {{}}}, Colours::full), "a \033[0m\n");
}

TEST(TerminalLegend, goes_from_nothing_to_all) {
  EXPECT_EQ(terminal_legend(Colours::none), "0   ░░▒▒▓▓██ 1");
}

TEST(TerminalMap, what_is_wider_than_the_terminal_goes_on_below) {
  const AttentionMatrix matrix{{"a", "b", "c"}, {"1", "2"}, {{1, 0, 0}, {0, 0, 1}}};
  EXPECT_EQ(terminal_map(matrix, Colours::none, 6),
            "  a b\n"
            "1 ██\n"
            "2\n"
            "\n"
            "  c\n"
            "1\n"
            "2 ██\n");
  EXPECT_EQ(terminal_map(matrix, Colours::none, 8), terminal_map(matrix, Colours::none));
  EXPECT_EQ(count(terminal_map(matrix, Colours::none, 1), "1"), 3);  // a column at least
}

TEST(Palette, goes_from_dark_to_light) {
  EXPECT_EQ(hex_colour(heat(0)), "#440154");
  EXPECT_EQ(hex_colour(heat(1)), "#fde725");
  float before = 0;
  for (int i = 0; i <= 100; ++i) {
    const auto [red, green, blue] = heat(static_cast<float>(i) / 100);
    const float light = 0.2126F * red + 0.7152F * green + 0.0722F * blue;
    EXPECT_GT(light, before);
    before = light;
  }
}

TEST(Svg, draws_a_cell_for_each_weight_in_its_colour) {
  const std::string picture = svg(small());
  EXPECT_EQ(count(picture, "<title>"), 4);
  EXPECT_NE(picture.find("fill=\"" + hex_colour(heat(0.75F)) + "\"><title>- ← a  0.75</title>"),
            std::string::npos);
  EXPECT_EQ(count(picture, "rotate("), 0);
  EXPECT_EQ(count(svg({{"the", "cat"}, {"le"}, {{0.5, 0.5}}}), "rotate("), 2);
}

TEST(Svg, chinese_words_stand_upright_one_character_below_the_other) {
  const std::string picture = svg({{"十一月", "the"}, {"11"}, {{0.5, 0.5}}});
  EXPECT_EQ(count(picture, "rotate("), 1);  // the English word
  EXPECT_EQ(count(picture, "<tspan"), 3);
  EXPECT_LT(picture.find(">十</tspan>"), picture.find(">月</tspan>"));
}

TEST(Svg, text_cannot_become_markup) {
  EXPECT_EQ(escape_markup("<b a=\"1\"> & é"), "&lt;b a=&quot;1&quot;&gt; &amp; é");
  const std::string picture = svg({{"<s>"}, {"&"}, {{1}}});
  EXPECT_EQ(count(picture, "<s>"), 0);
  EXPECT_EQ(count(picture, "&lt;s&gt;"), 2);  // the label and the tip
  EXPECT_EQ(count(picture, "&amp;"), 2);
}

}  // namespace
}  // namespace attune::view
