#include <gtest/gtest.h>

#include <cmath>

#include "attune/error.h"
#include "base/stop_signal.h"
#include "compare/length_groups.h"
#include "compare/recipe.h"
#include "compare/report/chinese.h"
#include "compare/report/differences.h"
#include "compare/report/report.h"
#include "compare/report/report_plots.h"
#include "compare/report/tables.h"
#include "compare/report/training_table.h"
#include "compare/run/attention_steps.h"
#include "compare/run/child_process.h"
#include "compare/run/step_cache.h"
#include "compare/run/training_step.h"
#include "compare/spread.h"
#include "compare/text_units.h"
#include "testing/scratch.h"
#include "text/vocabulary/vocabulary_trainer.h"

namespace attune::compare {
namespace {

using testing::ScratchFolder;

// The message of a UsageError.
template <class F>
std::string refusal(F&& work) {
  try {
    work();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "nothing was refused";
}

void expect_part(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in:\n" << text;
}

TEST(Lengths, groups_hold_every_sentence_once_and_name_what_they_hold) {
  const std::vector<int64_t> lengths{3, 12, 5, 6, 11, 30, 5};
  const auto groups = group_by_length(lengths, std::vector<int64_t>{5, 11, 20, 25, 40});
  ASSERT_EQ(groups.size(), 4);  // no sentence has 21 to 25 words
  EXPECT_EQ(groups[0].label(), "3–5");
  EXPECT_EQ(groups[0].sentences, (std::vector<size_t>{0, 2, 6}));
  EXPECT_EQ(groups[1].label(), "6–11");
  EXPECT_EQ(groups[1].sentences, (std::vector<size_t>{3, 4}));
  EXPECT_EQ(groups[2].label(), "12–20");
  EXPECT_EQ(groups[2].sentences, (std::vector<size_t>{1}));
  EXPECT_EQ(groups[3].label(), "26–30");
}

TEST(Lengths, groups_by_themselves_are_about_as_large) {
  std::vector<int64_t> lengths;
  for (int64_t i = 0; i < 600; ++i) lengths.push_back(1 + i % 60);
  const auto groups = group_by_length(lengths, {});
  ASSERT_EQ(groups.size(), 6);
  for (const Lengths& group : groups) EXPECT_NEAR(static_cast<double>(group.sentences.size()), 100, 20);
  EXPECT_EQ(group_by_length(std::vector<int64_t>{7, 7, 7}, {}).at(0).label(), "7");
  EXPECT_TRUE(group_by_length({}, {}).empty());
}

TEST(Lengths, samples_go_from_short_to_long) {
  EXPECT_EQ(spread_over_lengths(std::vector<int64_t>{9, 1, 5, 3, 7, 2}, 3), (std::vector<size_t>{5, 2, 0}));
  EXPECT_EQ(spread_over_lengths(std::vector<int64_t>{4, 2}, 10), (std::vector<size_t>{1, 0}));
}

std::string shown(const std::string& output, const std::string& reference) {
  std::string text;
  for (const Stretch& stretch : differences(output, reference))
    text += stretch.same ? stretch.text : "[" + stretch.text + "]";
  return text;
}

TEST(Differences, mark_what_the_reference_has_not) {
  EXPECT_EQ(shown("a dog runs.", "a dog runs."), "a dog runs.");
  EXPECT_EQ(shown("a big dog runs", "a dog sleeps"), "a [big ]dog [runs]");
  EXPECT_EQ(shown("2026-11-16 18:30", "2026-11-15 18:30"), "2026-11-[16 ]18:30");
  EXPECT_EQ(shown("他看了书", "他在看书"), "他看[了]书");
  EXPECT_EQ(shown("", "a"), "");
  EXPECT_EQ(shown("a", ""), "[a]");
}

TEST(Differences, words_together_are_the_text) {
  for (const std::string text : {"", " two  dogs, 3.5 km – it's 好的 ok ", "naïve café"}) {
    std::string all;
    for (const std::string& word : cut_into_words(text)) all += word;
    EXPECT_EQ(all, text);
  }
  EXPECT_EQ(cut_into_words("it's 3.5km 好的"),
            (std::vector<std::string>{"it's ", "3", ".", "5", "km ", "好", "的"}));
}

TEST(Alignments, a_word_goes_where_most_of_its_tokens_attention_is) {
  // Source words: tokens {0, 1}, {2}, and </s>; target words: token {0}, a space, tokens {2, 3}.
  const std::vector<std::vector<float>> weights{
      {0.3F, 0.3F, 0.4F, 0.0F}, {0, 0, 1, 0}, {0.1F, 0, 0.2F, 0.7F}, {0, 0, 0.3F, 0.7F}};
  EXPECT_EQ(links_of(weights, {0, 0, 1}, {0, -1, 1, 1}), "0-0 1-1");
}

TEST(Alignments, words_and_characters_of_a_vocabulary_of_characters) {
  VocabularyOptions options;
  options.kind = VocabularyKind::character;
  const std::vector<std::string> lines{"ab c"};
  const auto vocabulary =
      train_vocabulary({TextLines{1, [&](int64_t i) { return lines[static_cast<size_t>(i)]; }}}, options);
  const TextUnitTokens words = unit_tokens(*vocabulary, "ab c", TextUnit::word);
  EXPECT_EQ(words.units, (std::vector<int64_t>{0, 0, -1, 1}));
  EXPECT_EQ(words.ids.size(), 4);
  EXPECT_EQ(words.count, 2);
  EXPECT_EQ(unit_tokens(*vocabulary, "ab c", TextUnit::character).units, (std::vector<int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(count_units(" ab  c ", TextUnit::word), 2);
  EXPECT_EQ(count_units("März", TextUnit::character), 4);
}

TEST(Curves, values_that_are_no_numbers_name_file_and_line) {
  const ScratchFolder folder;
  const std::string good =
      folder.write("good.jsonl",
                   "{\"kind\":\"training\",\"update\":5,\"loss\":\"nan\"}\n"
                   "{\"kind\":\"validation\",\"update\":10,\"bleu\":1.5,\"loss\":3,\"seconds\":2.5}\n"
                   "{\"kind\":\"validation\",\"update\":20,\"bleu\":2.5,\"loss\":2,\"seconds\":5}\n");
  const std::vector<Curve> curves = read_curves(good);
  ASSERT_EQ(curves.size(), 2);
  EXPECT_EQ(curves[0].metric, "bleu");
  EXPECT_EQ(curves[0].updates, (std::vector<double>{10, 20}));
  EXPECT_EQ(curves[0].seconds, (std::vector<double>{2.5, 5}));
  EXPECT_EQ(curves[1].values, (std::vector<double>{3, 2}));
  const std::string bad =
      folder.write("bad.jsonl",
                   "{\"kind\":\"validation\",\"update\":10,\"bleu\":1.5,\"seconds\":2}\n"
                   "{\"kind\":\"validation\",\"update\":20,\"bleu\":\"nan\",\"seconds\":4}\n");
  expect_part(refusal([&] { read_curves(bad); }), "bad.jsonl, line 2: 'bleu' is \"nan\"");
}

TEST(Curves, a_run_that_ended_before_its_first_report_has_none) {
  const ScratchFolder folder;
  EXPECT_TRUE(read_curves(folder.write("empty.jsonl", "")).empty());
}

TEST(StepCache, is_found_by_its_key_alone) {
  const ScratchFolder folder;
  cache_step(folder / "x/step.json", "a", {1, 2});
  EXPECT_EQ(cached_step(folder / "x/step.json", "a"), Json({1, 2}));
  EXPECT_FALSE(cached_step(folder / "x/step.json", "b"));
  EXPECT_FALSE(cached_step(folder / "other.json", "a"));
  folder.write("damaged.json", "{\"key\": \"a\", \"val");
  EXPECT_FALSE(cached_step(folder / "damaged.json", "a"));
  EXPECT_NE(digest(std::vector<std::string>{"ab", "c"}), digest(std::vector<std::string>{"a", "bc"}));
}

TEST(ChildProcess, what_the_work_throws_is_thrown_here) {
  EXPECT_GT(run_in_child([] {}).peak_memory, 0);
  expect_part(refusal([] { run_in_child([] { throw UsageError("no such file"); }); }), "no such file");
  EXPECT_THROW(run_in_child([] { throw Interrupted(); }), Interrupted);
  try {
    run_in_child([] { std::raise(SIGKILL); });
    FAIL() << "nobody noticed";
  } catch (const Error& error) {
    expect_part(error.what(), "killed by signal 9");
  }
}

// Two models, one test set of two sentences, one metric.
Results small_results() {
  Results results;
  results.title = "A <b> & c";
  results.budget = "10u";
  results.length_unit = "word";
  results.metrics = {{"BLEU", "nrefs:1", true}};
  results.tests = {{"test", 2, {{"1–2", 1}, {"3", 1}}}};
  results.golds = {"gold"};
  results.looked_at = {"x y"};
  results.samples = {{"x y", "a b", 0}};
  for (const char* name : {"first", "sec|ond"}) {
    ModelResult model;
    model.name = name;
    RunResult run;
    run.training = {1000, 10, 1, 500, 2.0, 1 << 20, {{"bleu", {5, 10}, {1, 2}, {10, 20}}}};
    run.outcome = {false, "best bleu", 5, 0.5};
    run.decodings = {{{"a b", "<c>"}, 0.5, 4, 1 << 20}};
    run.looks = {{"a b", {"x", "y"}, {"a", "b"}, {{1, 0}, {0, 1}}}};
    run.alignments = {{{"attention", 30, 70, 60}}};
    model.runs = {run};
    model.tests = {{{{20, 18, 22, 0, 0.04}}, {25, 15}}};
    results.models.push_back(model);
  }
  return results;
}

TEST(Tables, hold_scores_intervals_and_differences) {
  const Table scores = score_table(small_results(), 0);
  EXPECT_EQ(scores.head, (std::vector<std::string>{"model", "BLEU", "BLEU against the model above"}));
  EXPECT_EQ(scores.rows[0], (std::vector<std::string>{"first", "20.0 ± 2.0", ""}));
  EXPECT_EQ(scores.rows[1], (std::vector<std::string>{"sec|ond", "20.0 ± 2.0", "+0.0 (p = 0.040) *"}));
  EXPECT_EQ(cost_table(small_results()).rows[0],
            (std::vector<std::string>{"first", "1,000", "250", "1.0 MB", "4.0", "8", "1.0 MB"}));
}

TEST(Tables, say_which_model_of_each_run_is_compared) {
  Results results = small_results();
  results.models[1].runs[0].outcome = {true, "last", 1200, 2.25};
  const Table table = training_table(results);
  EXPECT_EQ(table.rows[0], (std::vector<std::string>{"first", "10", "500", "2.0 s", "budget", "update 5",
                                                     "0.5", "best bleu"}));
  EXPECT_EQ(table.rows[1], (std::vector<std::string>{"sec|ond", "10", "500", "2.0 s", "early_stopping",
                                                     "update 1,200", "2.2", "last"}));
}

TEST(Tables, models_that_trained_for_different_lengths_are_not_compared_in_silence) {
  Results results = small_results();
  EXPECT_EQ(unequal_training(results).en, "");
  EXPECT_EQ(markdown(results).find("trained for"), std::string::npos);
  Training& training = results.models[1].runs[0].training;
  training.tokens = 504;  // another vocabulary
  EXPECT_EQ(unequal_training(results).en, "");

  training.updates = 8;
  training.tokens = 400;
  EXPECT_EQ(
      unequal_training(results).en,
      "Not all models trained equally long: they made 8 to 10 updates and read 400 to 500 target tokens "
      "in 2.0 s to 2.0 s. Differences between scores may come from this.");
  results.models[1].runs[0].outcome.stopped_early = true;
  expect_part(unequal_training(results).en,
              "Stopped by early_stopping before the end of the budget: sec|ond.");
  const Table scores = score_table(results, 0);
  EXPECT_EQ(scores.head.back(), "trained for");
  EXPECT_EQ(scores.rows[0].back(), "10 updates");
  EXPECT_EQ(scores.rows[1].back(), "8 updates (stopped early)");
  expect_part(markdown(results), "Not all models trained equally long");
  expect_part(html(results), "Not all models trained equally long");
  expect_part(html(results), "各模型的训练量并不相同：更新 8 到 10 次");
}

TEST(Spread, is_the_standard_deviation_of_a_sample) {
  EXPECT_EQ(spread_of(std::vector<double>{7}).deviation, 0);
  const Spread spread = spread_of(std::vector<double>{2, 4, 4, 4, 5, 5, 7, 9});
  EXPECT_EQ(spread.mean, 5);
  EXPECT_NEAR(spread.deviation, std::sqrt(32.0 / 7), 1e-12);
}

// Each model trained twice; the second runs are longer by one validation.
Results results_of_two_seeds() {
  Results results = small_results();
  for (ModelResult& model : results.models) {
    model.runs.push_back(model.runs[0]);
    model.runs[1].seed = 2;
    model.runs[1].training.curves = {{"bleu", {5, 10, 15}, {1, 3, 4}, {20, 40, 41}}};
    model.tests[0].scores[0].deviation = 1.25;
  }
  return results;
}

TEST(Tables, several_seeds_show_mean_spread_and_number_of_runs) {
  const Results results = results_of_two_seeds();
  const Table scores = score_table(results, 0);
  EXPECT_EQ(scores.head.back(), "runs");
  EXPECT_EQ(scores.rows[0], (std::vector<std::string>{"first", "20.0 ± 2.0 (sd 1.2)", "", "2"}));
  EXPECT_EQ(training_table(results).rows[1][0], "first, seed 2");
  expect_part(markdown(results), "Each model was trained 2 times, with different seeds.");
}

TEST(Plots, several_seeds_are_thin_lines_behind_their_mean) {
  const std::string one = curve_plots(small_results())[0].svg,
                    two = curve_plots(results_of_two_seeds())[0].svg;
  const auto count = [](std::string text, const std::string& part) {
    int found = 0;
    for (size_t at; (at = text.find(part)) != std::string::npos; ++found) text.erase(at, part.size());
    return found;
  };
  EXPECT_EQ(count(one, "curve thin"), 0);
  EXPECT_EQ(count(two, "curve thin"), 4);
  EXPECT_EQ(count(two, "<polyline"), 6);
}

TEST(Tables, markdown_escapes_what_would_end_a_cell) {
  const std::string text = markdown(small_results());
  expect_part(text, "| sec\\|ond | 20.0 ± 2.0 |");
  expect_part(text, "## Alignment error: gold");
}

TEST(Report, is_one_page_that_escapes_what_it_is_given) {
  const std::string page = html(small_results());
  expect_part(page, "<title>A &lt;b&gt; &amp; c</title>");
  expect_part(page, "<td>a b <span class=\"right\">✓</span></td>");
  for (const char* foreign : {"<script", "http://", "https://", "src="}) {
    std::string rest = page;
    for (size_t at; (at = rest.find("http://www.w3.org/2000/svg")) != std::string::npos;) rest.erase(at, 26);
    EXPECT_EQ(rest.find(foreign), std::string::npos) << foreign;
  }
}

TEST(Report, tables_and_plots_speak_both_languages_and_names_stay) {
  EXPECT_EQ(in_chinese("BLEU against the model above"), "BLEU：与上一个模型相比");
  EXPECT_EQ(in_chinese("Validation perplexity over updates"), "验证集 困惑度，按更新次数");
  EXPECT_EQ(in_chinese("BLEU on test, with 95% confidence intervals"), "BLEU，test，带 95% 置信区间");
  EXPECT_EQ(in_chinese("best exact"), "完全正确 最好");
  EXPECT_EQ(in_chinese("1–2"), "1–2");
  Results results = small_results();
  results.models[0].name = "model";
  const std::string page = html(results);
  expect_part(page, "<span lang=\"en\">model</span><span lang=\"zh-CN\">模型</span></th>");
  expect_part(page, ">Training speed</text><text lang=\"zh-CN\"");
  expect_part(page, "class=\"name\">model</text>");
  EXPECT_EQ(markdown(results).find("模型"), std::string::npos);
}

TEST(Report, tells_models_without_attention_from_those_that_wrote_nothing) {
  Results results = small_results();
  results.models[0].runs[0].looks[0].weights = {};
  results.models[1].runs[0].looks[0] = {"", {"x", "y"}, {}, {}};
  const std::string page = html(results);
  const size_t blind = page.find("Without attention, the decoder sees"),
               silent = page.find("These models wrote nothing here:");
  ASSERT_NE(blind, std::string::npos);
  ASSERT_NE(silent, std::string::npos);
  EXPECT_LT(blind, page.find("<li><b>first</b>"));
  EXPECT_LT(page.find("<li><b>first</b>"), silent);
  EXPECT_LT(silent, page.find("<li><b>sec|ond</b>"));
}

TEST(Results, come_back_from_their_file_and_are_never_partial) {
  const ScratchFolder folder;
  Results results = small_results();
  write_results(folder / "results.json", results);
  EXPECT_EQ(markdown(read_results(folder / "results.json")), markdown(results));
  EXPECT_EQ(html(read_results(folder / "results.json")), html(results));

  results.models[1].tests[0].scores[0].value = std::nan("");
  EXPECT_THROW(write_results(folder / "other.json", results), Error);
  EXPECT_FALSE(std::filesystem::exists(folder / "other.json"));

  results = small_results();
  results.models[1].runs[0].decodings[0].outputs.pop_back();
  write_results(folder / "other.json", results);
  expect_part(refusal([&] { read_results(folder / "other.json"); }), "its parts are inconsistent");
  folder.write("other.json", "{\"format\": 1}");
  expect_part(refusal([&] { read_results(folder / "other.json"); }), "another version of attune wrote this");
  folder.write("other.json", "{\"format\": 2}");
  expect_part(refusal([&] { read_results(folder / "other.json"); }), "was not written by attune compare");
}

}  // namespace
}  // namespace attune::compare
