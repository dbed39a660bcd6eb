#include "view/plot/plot.h"

#include <gtest/gtest.h>

#include "attune/error.h"

namespace attune::view {
namespace {

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

std::string labels(const Axis& axis) {
  std::string all;
  for (const double tick : axis.ticks) all += (all.empty() ? "" : " ") + tick_label(tick);
  return all;
}

TEST(Axis, ticks_are_round_and_cover_the_values) {
  EXPECT_EQ(labels(make_axis(3, 97, 6)), "0 20 40 60 80 100");
  EXPECT_EQ(labels(make_axis(0, 2000, 5)), "0 500 1,000 1,500 2,000");
  EXPECT_EQ(labels(make_axis(0.001, 0.0042, 6)), "0 0.001 0.002 0.003 0.004 0.005");
  EXPECT_EQ(labels(make_axis(-3, 4, 5)), "-4 -2 0 2 4");
}

TEST(Axis, begins_at_zero_unless_the_values_are_far_from_it) {
  EXPECT_EQ(make_axis(20, 90, 6).low, 0);
  EXPECT_EQ(labels(make_axis(91, 99, 5)), "90 92 94 96 98 100");
}

TEST(Axis, takes_values_that_are_all_the_same) {
  for (const double value : {0.0, 5.0, 100.0, -2.0}) {
    const Axis axis = make_axis(value, value, 5);
    EXPECT_LE(axis.low, value);
    EXPECT_GE(axis.high, value);
    EXPECT_LT(axis.low, axis.high);
    EXPECT_GE(axis.ticks.size(), 2);
  }
}

TEST(Axis, logarithmic_ticks_and_places) {
  const Axis axis = make_axis(1.3, 180, 6, Scale::logarithmic);
  EXPECT_EQ(labels(axis), "1 2 5 10 20 50 100 200");
  EXPECT_DOUBLE_EQ(axis.place(1), 0);
  EXPECT_DOUBLE_EQ(axis.place(200), 1);
  EXPECT_EQ(labels(make_axis(0.002, 30'000, 4, Scale::logarithmic)), "0.01 0.1 1 10 100 1,000 10,000");
  EXPECT_GE(make_axis(2, 2, 4, Scale::logarithmic).ticks.size(), 2);
}

LinePlot two_lines() {
  return {"A & B", "updates", "BLEU", {{"<one>", {0, 10, 20}, {1, 5, 9}}, {"two", {0, 10, 20}, {9, 9, 9}}}};
}

TEST(LinePlot, draws_each_line_with_its_marks_and_its_name) {
  const std::string text = svg(two_lines());
  EXPECT_EQ(count(text, "<polyline"), 2);
  EXPECT_EQ(count(text, "class=\"m s0\""), 4);  // three points and the name
  EXPECT_EQ(count(text, ">two</text>"), 1);
  EXPECT_EQ(count(text, ">updates</text>"), 1);
}

TEST(LinePlot, escapes_names_and_title) {
  const std::string text = svg(two_lines());
  EXPECT_EQ(count(text, "&lt;one&gt;"), 1);
  EXPECT_EQ(count(text, "A &amp; B"), 2);  // shown, and for who cannot see it
  EXPECT_EQ(count(text, "<one>"), 0);
}

TEST(LinePlot, names_at_the_same_height_do_not_overlap) {
  LinePlot plot{"", "", "", {}};
  for (int i = 0; i < 10; ++i) plot.series.push_back({"line", {0, 1}, {0, 100}});
  const std::string text = svg(plot);
  std::vector<double> places;
  for (size_t at = 0; (at = text.find("\" class=\"name\">line", at)) != std::string::npos; ++at)
    places.push_back(std::stod(text.substr(text.rfind("y=\"", at) + 3)));
  ASSERT_EQ(places.size(), 10);
  for (size_t i = 1; i < places.size(); ++i) EXPECT_GE(places[i] - places[i - 1], 12);
}

TEST(LinePlot, takes_groups_no_points_and_refuses_half_of_them) {
  LinePlot plot = two_lines();
  plot.x_names = {"1–5", "6–10", "11–20"};
  for (Series& series : plot.series) series.x = {0, 1, 2};
  EXPECT_EQ(count(svg(plot), ">6–10</text>"), 1);
  plot.series[0] = {"nothing", {}, {}};
  EXPECT_EQ(count(svg(plot), "nothing"), 0);
  plot.series[0].x = {1};
  EXPECT_THROW(svg(plot), Error);
  EXPECT_EQ(count(svg(LinePlot{"empty", "", "", {}}), "nan"), 0);
}

TEST(BarPlot, lengths_are_in_proportion_and_whiskers_only_where_asked) {
  const std::string text = svg(BarPlot{"t", "BLEU", {{"a", 10, 8, 12, "10.0"}, {"b", 20, 20, 20, "20.0"}}});
  std::vector<double> widths;
  for (size_t at = 0; (at = text.find("<rect", at)) != std::string::npos; ++at)
    widths.push_back(std::stod(text.substr(text.find("width=\"", at) + 7)));
  ASSERT_EQ(widths.size(), 2);
  EXPECT_NEAR(widths[1] / widths[0], 2, 0.01);
  EXPECT_EQ(count(text, "whisker"), 3);
}

TEST(PlotStyle, has_colours_for_light_dark_and_print) {
  const std::string style = plot_style();
  EXPECT_EQ(count(style, "--s9:"), 3);
  EXPECT_EQ(count(style, "prefers-color-scheme:dark"), 1);
  EXPECT_EQ(count(standalone(svg(two_lines())), "<style>"), 1);
}

}  // namespace
}  // namespace attune::view
