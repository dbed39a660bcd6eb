#include "train/check/check.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "config/yaml.h"
#include "testing/scratch.h"

namespace attune {
namespace {

using testing::ScratchFolder;

// Sentences of letters and their reversals, with lengths that identify them.
struct Files {
  ScratchFolder folder;
  std::vector<std::string> source, target;

  Files() {
    const Random random(3);
    for (uint64_t i = 0; i < 400; ++i) {
      std::string line;
      for (uint64_t j = 0; j < 2 + random.below(20, i); ++j)
        line += std::string(j == 0 ? "" : " ") + static_cast<char>('a' + random.below(8, 1000 + 100 * i + j));
      source.push_back(line);
      target.emplace_back(line.rbegin(), line.rend());
    }
  }

  static std::string text(const std::vector<std::string>& lines) {
    std::string all;
    for (const std::string& line : lines) all += line + '\n';
    return all;
  }

  // A tiny model for the current source and target.
  RunConfig config(const std::string& more = "") const {
    const std::string train =
        folder.write("train.src", text(source)) + ", " + folder.write("train.tgt", text(target));
    return read_run_config(
        read_yaml("{type: rnn, embedding: 8, hidden: 8, model: " + (folder / "run").string() +
                      ", vocab_kind: word, "
                      "after: 2e, train_sets: [" +
                      train + "]" + more + "}",
                  "test"),
        {});
  }

  CheckReport check(const std::string& more = "", double seconds = 0) const {
    RunConfig run = config(more);
    CheckReport report = check_run(run, seconds);
    EXPECT_FALSE(std::filesystem::exists(folder / "run")) << "nothing is written";
    return report;
  }
};

std::vector<Finding> of_kind(const CheckReport& report, const std::string& kind) {
  std::vector<Finding> found;
  for (const Finding& finding : report.findings)
    if (finding.kind == kind) found.push_back(finding);
  return found;
}

void expect_one(const CheckReport& report, Severity severity, const std::string& kind,
                const std::string& where, const std::string& text) {
  const auto found = of_kind(report, kind);
  ASSERT_EQ(found.size(), 1u) << kind;
  EXPECT_EQ(found[0].severity, severity);
  EXPECT_NE(found[0].where.find(where), std::string::npos) << found[0].where;
  EXPECT_NE(found[0].text.find(text), std::string::npos) << found[0].text;
  EXPECT_EQ(report.can_start(), severity != Severity::error);
}

TEST(Check, sound_files_give_no_finding_and_the_size_of_the_model) {
  const CheckReport report = Files().check();
  EXPECT_TRUE(report.findings.empty()) << report.findings[0].text;
  EXPECT_EQ(report.training.examples.kept, 400);
  EXPECT_EQ(report.training.lines, 400);
  ASSERT_EQ(report.vocabularies.size(), 1u);
  EXPECT_EQ(report.vocabularies[0].origin, VocabularyReport::Origin::made);
  EXPECT_EQ(report.vocabularies[0].size, 8 + 3);
  EXPECT_GT(report.parameters, 1000);
  EXPECT_GE(report.memory.learner, 4 * 4 * report.parameters) << "values, gradients and two moments";
  EXPECT_FALSE(report.speed) << "it was not asked for";
}

TEST(Check, a_few_steps_give_speed_memory_and_time) {
  const CheckReport report = Files().check(", exponential_smoothing: 0.1", 0.01);
  ASSERT_TRUE(report.speed && report.time && report.time->whole && report.memory.predicted);
  EXPECT_GE(report.speed->updates, 1);
  EXPECT_GT(report.speed->tokens, 0);
  EXPECT_DOUBLE_EQ(*report.time->whole, 2 * report.time->epoch);
  EXPECT_GE(report.memory.learner, 5 * 4 * report.parameters) << "with the average";
  EXPECT_GT(*report.memory.predicted, report.memory.learner);
}

TEST(Check, a_missing_line_is_found_by_counts_and_lengths) {
  Files files;
  files.target.erase(files.target.begin() + 200);
  const CheckReport report = files.check();
  expect_one(report, Severity::error, "line_counts", "train.tgt", "it has 399 lines");
  const std::string text = of_kind(report, "line_counts")[0].text;
  const auto at = text.find("from about line ");
  ASSERT_NE(at, std::string::npos) << text;
  EXPECT_NEAR(std::stoi(text.substr(at + 16)), 202, 10);
  EXPECT_NE(text.find("train.tgt lacks 1 line that"), std::string::npos) << text;
  EXPECT_GT(report.parameters, 0) << "the rest is looked at all the same";
}

TEST(Check, shifted_lines_of_the_same_number_are_a_hint) {
  Files files;
  files.target.erase(files.target.begin() + 100);
  files.target.emplace_back("a");
  expect_one(files.check(), Severity::warning, "shift", "train.tgt:", "train.tgt lacks 1 line that");
}

TEST(Check, bytes_that_are_not_utf8_are_named_and_counted) {
  Files files;
  files.source[6] = "f\xFCr";
  expect_one(files.check(), Severity::error, "invalid_utf8", "train.src:7", "byte 2 is not UTF-8");
  for (size_t i = 20; i < 40; ++i) files.source[i] += "\xFF";
  const CheckReport many = files.check();
  EXPECT_EQ(many.training.columns[0].text.invalid, 21);
  EXPECT_EQ(of_kind(many, "invalid_utf8").back().text, "16 more lines are not UTF-8");
  EXPECT_TRUE(files.check(", replace_invalid_utf8: true").can_start());
}

TEST(Check, empty_and_long_lines_are_warned_of) {
  Files files;
  files.source[3] = " ";
  files.target[9] = files.target[10] = Files::text(std::vector<std::string>(1, "a b c d"));
  files.target[9].pop_back();
  files.target[10].pop_back();
  const CheckReport report = files.check(", max_length: 4");
  EXPECT_EQ(report.training.examples.empty, 1);
  EXPECT_EQ(report.training.examples.kept + report.training.examples.too_long, 399);
  expect_one(report, Severity::warning, "empty_lines", "train.src",
             "1 of 400 lines are empty and will be left out: line 4");
  expect_one(report, Severity::warning, "too_long", "train.src:", "have more than 4 tokens");
}

TEST(Check, nothing_that_is_left_to_learn_from_is_an_error) {
  expect_one(Files().check(", max_length: 1"), Severity::error, "no_examples", "", "no lines are left");
}

TEST(Check, lines_of_training_in_validation_are_counted) {
  const Files files;
  const std::string valid = files.folder.write("v.src", files.source[5] + "\nx\n" + files.source[6] + "\n") +
                            ", " + files.folder.write("v.tgt", files.target[5] + "\nx\ny\n");
  const CheckReport report = files.check(", valid_sets: [" + valid + "]");
  ASSERT_TRUE(report.duplicates);
  EXPECT_EQ(report.duplicates->rows.count, 1);
  EXPECT_EQ(report.duplicates->inputs.count, 2);
  expect_one(report, Severity::warning, "duplicates", "v.src:1", "1 of 3 validation lines (33.3%) are");
  expect_one(report, Severity::warning, "coverage", "vocab.txt", "of the validation tokens");
  EXPECT_EQ(report.vocabularies[0].validation.missing[0].first, "x");
}

TEST(Check, all_files_that_cannot_be_read_are_named) {
  const Files files;
  RunConfig run = files.config();
  run.train.train_sets.insert(run.train.train_sets.end(), {files.folder / "no1", files.folder / "no2"});
  run.train.valid_sets = {files.folder / "no3", run.train.train_sets[1]};
  const CheckReport report = check_run(run, 0);
  EXPECT_EQ(of_kind(report, "unreadable_file").size(), 3u);
  EXPECT_EQ(of_kind(report, "unreadable_file")[0].text, "there is no such file");
  EXPECT_EQ(report.training.examples.kept, 400) << "the corpus that is there is looked at";
}

TEST(Check, tables_need_the_columns_of_the_task_in_every_line) {
  const Files files;
  RunConfig run = files.config();
  run.train.tsv = true;
  run.train.train_sets = {files.folder.write("t.tsv", "a\tb\nc\nd\te\n")};
  expect_one(check_run(run, 0), Severity::error, "columns", "t.tsv:2",
             "1 of 3 lines have a different number: line 2");
  run.train.train_sets = {files.folder.write("one.tsv", "a\nb\n")};
  expect_one(check_run(run, 0), Severity::error, "columns", "one.tsv",
             "it has 1 columns, but this model reads 2");
}

TEST(Check, lines_that_the_task_cannot_use_are_errors) {
  Files files;
  files.target[7] += " a";
  RunConfig run = files.config();
  RunConfig tagger =
      read_run_config(read_yaml("{type: rnn_lm, tagger: true, embedding: 8, hidden: 8, model: m, vocab_kind: "
                                "word, after: 1u, train_sets: [" +
                                    run.train.train_sets[0] + ", " + run.train.train_sets[1] + "]}",
                                "test"),
                      {});
  expect_one(check_run(tagger, 0), Severity::error, "faulty_example", "train.src:8",
             "a tagger needs one tag per token");
}

TEST(Check, metrics_that_the_model_cannot_give_are_errors) {
  Files files;
  const std::string valid = files.folder.write("v.src", "a b\n");
  RunConfig run = files.config();
  RunConfig lm = read_run_config(
      read_yaml("{type: rnn_lm, embedding: 8, hidden: 8, model: m, vocab_kind: word, after: 1u, "
                "valid_metrics: bleu, train_sets: [" +
                    run.train.train_sets[0] + "], valid_sets: [" + valid + "]}",
                "test"),
      {});
  expect_one(check_run(lm, 0), Severity::error, "configuration", "", "valid_metrics: 'bleu'");
}

TEST(Check, an_alignment_that_does_not_fit_is_found) {
  const Files files;
  std::string links;
  for (size_t i = 0; i < files.source.size(); ++i) links += i == 41 ? "0-0 0-99\n" : "0-0\n";
  const std::string file = files.folder.write("links", links);
  expect_one(files.check(", guided_alignment: " + file), Severity::error, "configuration", "",
             file + ":42: 0-99 links word 99, but " + (files.folder / "train.tgt").string() + ":42 has");
  files.folder.write("links", std::string(links).replace(links.find("0-99"), 4, "1-1"));
  EXPECT_TRUE(files.check(", guided_alignment: " + file, 0.01).speed) << "a few steps with it";
}

// ---- Predictions

TEST(Check, time_follows_from_the_speed_and_the_period) {
  // 10 updates of 100 target and 250 other tokens in 5 seconds; an epoch has 35,000 tokens.
  const Speed speed{.updates = 10, .seconds = 5, .tokens = 1000, .side_tokens = 3500};
  const auto whole = [&](const char* after) {
    return predict_time(read_period("after", after), speed, 35'000).whole;
  };
  EXPECT_DOUBLE_EQ(predict_time({}, speed, 35'000).epoch, 50);
  EXPECT_FALSE(whole(""));
  EXPECT_DOUBLE_EQ(*whole("3e"), 150);
  EXPECT_DOUBLE_EQ(*whole("1ku"), 500);
  EXPECT_DOUBLE_EQ(*whole("1Mt"), 5000);
  EXPECT_DOUBLE_EQ(*whole("2h"), 7200);
}

TEST(Check, weights_of_corpora_count_in_the_time_of_an_epoch) {
  const Files files;
  const double once = files.check().training.examples.epoch_tokens;
  EXPECT_DOUBLE_EQ(files.check(", train_weights: [2.5]").training.examples.epoch_tokens, 2.5 * once);
}

}  // namespace
}  // namespace attune
