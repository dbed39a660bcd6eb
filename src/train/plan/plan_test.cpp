#include "train/plan/plan.h"

#include <gtest/gtest.h>

#include "config/yaml.h"
#include "models/random_folder_fixture.h"
#include "testing/op_check.h"
#include "testing/scratch.h"
#include "train/plan/complete_run.h"

namespace attune {
namespace {

RunConfig config(const std::string& more = "") {
  return read_run_config(read_yaml("{train_sets: [a, b], model: run" + more + "}", "test"), {});
}

const CorpusSize kCaptions{.lines = 29'000, .source_tokens = 15, .target_tokens = 15};
const CorpusSize kWeb{.lines = 20'000'000, .source_tokens = 30, .target_tokens = 30};
const Machine kLaptop{.flops = 1.5e11, .rounded = 1.5e11, .threads = 2, .memory = 16'000'000'000};

std::string value(const Plan& plan, std::string_view key) {
  const auto found = std::ranges::find(plan.entries, key, &Entry::key);
  return found == plan.entries.end() ? "" : found->values[0];
}

int64_t width(const std::string& more, const CorpusSize& corpus) {
  RunConfig run = config(more);
  run.complete(make_plan(run, corpus, kLaptop).entries);
  return run.model->width();
}

TEST(Plan, more_time_and_more_data_give_larger_models) {
  EXPECT_LE(width(", time: 5min", kCaptions), width(", time: 2h", kCaptions));
  EXPECT_LT(width(", time: 5min", kWeb), width(", time: 7d", kWeb));
  EXPECT_LT(width(", time: 7d", kCaptions), width(", time: 7d", kWeb));
}

TEST(Plan, every_type_has_every_size) {
  for (const std::string& type : model_types()) {
    int64_t before = 0;
    for (const std::string& size : words_of<Size>()) {
      const RunConfig run = config(", type: " + type + ", size: " + size);
      const Plan plan = make_plan(run, kCaptions, kLaptop);
      RunConfig chosen = config(", type: " + type);
      chosen.complete(plan.entries);
      const int64_t parameters = count_parameters(*chosen.model, {8000, 8000});
      EXPECT_GT(parameters, before) << type << ' ' << size;
      EXPECT_NE(plan.text.find("size " + size + ":"), std::string::npos) << plan.text;
      before = parameters;
    }
  }
}

TEST(Plan, larger_sizes_have_more_parameters_and_are_slower) {
  const Plan plan = make_plan(config(", size: base"), kCaptions, kLaptop);
  ASSERT_EQ(plan.sizes.size(), std::size(kSizes));
  EXPECT_EQ(plan.size, Size::base);
  for (size_t i = 1; i < plan.sizes.size(); ++i) {
    EXPECT_GT(plan.sizes[i].parameters, plan.sizes[i - 1].parameters);
    EXPECT_LT(plan.sizes[i].tokens_per_second, plan.sizes[i - 1].tokens_per_second);
  }
}

TEST(Plan, counts_on_bf16_where_the_machine_is_faster_with_it) {
  Machine newer = kLaptop;
  newer.rounded *= 2;
  const auto speed = [&](const std::string& more, const Machine& machine) {
    return make_plan(config(", time: 10min" + more), kCaptions, machine).sizes.back().tokens_per_second;
  };
  EXPECT_EQ(value(make_plan(config(", time: 10min"), kCaptions, newer), "precision"), "auto");
  const double gain = speed("", newer) / speed("", kLaptop);
  EXPECT_GT(gain, 1.3);
  EXPECT_LT(gain, 2);
  EXPECT_EQ(speed(", precision: f32", newer), speed(", precision: f32", kLaptop));
  EXPECT_EQ(speed(", precision: bf16", newer), speed("", newer));
}

TEST(Plan, what_is_given_stays) {
  RunConfig run =
      config(", d_model: 96, learning_rate: 0.5, lr_schedule: constant, precision: f32, time: 10min");
  const Plan plan = make_plan(run, kCaptions, kLaptop);
  EXPECT_EQ(value(plan, "d_model"), "");
  EXPECT_EQ(value(plan, "precision"), "");
  EXPECT_EQ(value(plan, "after"), "10min");
  run.complete(plan.entries);
  EXPECT_EQ(run.model->width(), 96);
  EXPECT_EQ(run.train.learning_rate, 0.5);
  EXPECT_EQ(run.train.lr_schedule, ScheduleKind::constant);
}

TEST(Plan, sizes_that_are_all_given_have_no_name) {
  RunConfig run = config(", time: 10min");
  run.complete(make_plan(run, kCaptions, kLaptop).entries);
  RunConfig again = config();
  for (const Entry& entry : entries_of(fields_of(*run.model))) again.given.insert(entry.key);
  const Plan plan = make_plan(again, kCaptions, kLaptop);
  EXPECT_EQ(plan.text.find("sizes as given: "), 0U) << plan.text;
  EXPECT_EQ(plan.text.find("--size"), std::string::npos) << plan.text;
}

TEST(Plan, a_run_with_sizes_of_its_own_has_no_plan) {
  EXPECT_TRUE(config().leaves_size_open());
  EXPECT_TRUE(config(", learning_rate: 0.1").leaves_size_open());
  EXPECT_FALSE(config(", d_model: 64, after: 2e").leaves_size_open());
  EXPECT_FALSE(config(", type: rnn, hidden: 64, after: 2e").leaves_size_open());
  EXPECT_TRUE(config(", d_model: 64, time: 2h").leaves_size_open());
}

TEST(Plan, a_pretrained_model_is_adapted_gently_and_not_for_long) {
  const testing::ScratchFolder folder;
  testing::save_random_model(folder / "base",
                             "{type: transformer, d_model: 8, heads: 2, feed_forward: 8, encoder_layers: 1, "
                             "decoder_layers: 1, dropout: 0}",
                             1);
  const auto adapting = [&](const std::string& more) {
    return config(", pretrained_model: " + (folder / "base").string() + more);
  };
  const int64_t base = 75'000'000;
  const Plan plan = plan_adaptation(adapting(""), base, kCaptions, kLaptop);
  EXPECT_EQ(value(plan, "d_model"), "");
  EXPECT_EQ(value(plan, "vocab_size"), "");
  EXPECT_EQ(value(plan, "dropout"), "0.1");
  EXPECT_EQ(value(plan, "lr_schedule"), "linear");
  EXPECT_EQ(value(plan, "after"), "30min") << "ten epochs of a large model take longer";
  EXPECT_EQ(value(plan_adaptation(adapting(""), 1000, kCaptions, kLaptop), "after"), "10e");
  EXPECT_EQ(value(plan_adaptation(adapting(", time: 5min"), base, kCaptions, kLaptop), "after"), "5min");
  EXPECT_EQ(value(plan_adaptation(adapting(", after: 120u"), base, kCaptions, kLaptop), "valid_freq"), "10u");
  EXPECT_EQ(
      value(plan_adaptation(adapting(", dropout: 0, learning_rate: 1"), base, kCaptions, kLaptop), "dropout"),
      "");
  const auto rate = [&](const Plan& of) { return std::stod(value(of, "learning_rate")); };
  RunConfig fresh = config(", d_model: 8, heads: 2, after: 1e");
  EXPECT_LT(rate(plan), rate(plan_adaptation(adapting(", lora_rank: 2"), base, kCaptions, kLaptop)));
  EXPECT_LT(rate(plan), rate(make_plan(fresh, kCaptions, kLaptop)));
}

TEST(Plan, an_end_in_updates_stays_one) {
  const Plan plan = make_plan(config(", after: 500u"), kCaptions, kLaptop);
  EXPECT_EQ(value(plan, "after"), "");
  EXPECT_EQ(value(plan, "valid_freq"), "42u");
}

TEST(Plan, little_data_gets_little_time_and_small_batches) {
  const CorpusSize few{.lines = 400, .source_tokens = 6, .target_tokens = 6};
  const Plan plan = make_plan(config(), few, kLaptop);
  EXPECT_LT(read_period("after", value(plan, "after")).amount, kDefaultTime);
  EXPECT_EQ(value(plan, "mini_batch_words"), "200");
  EXPECT_EQ(value(make_plan(config(", time: 2h"), few, kLaptop), "after"), "120min");
  EXPECT_EQ(value(make_plan(config(", after: 0, valid_sets: [a, b]"), few, kLaptop), "lr_schedule"), "");
}

TEST(Plan, sizes_and_times_that_do_not_exist_are_refused) {
  testing::expect_error([] { config(", size: huge"); }, "size: it takes auto, tiny, small, base, big, but");
  testing::expect_error([] { config(", time: 20e"); }, "time: '20e' is not a time");
}

TEST(Plan, signs_between_blanks_are_words) {
  const testing::ScratchFolder folder;
  std::string letters, sounds;
  for (int i = 0; i < 300; ++i) {
    letters += "c a t\n";
    sounds += "K AE T\n";
  }
  const Corpus corpus({{{folder.write("a", letters), folder.write("b", sounds)}}});
  const CorpusSize size = measure_corpus(corpus);
  EXPECT_EQ(size.lines, 300);
  EXPECT_TRUE(size.has_few_words());
  EXPECT_NEAR(size.target_tokens, 4, 0.1);
  EXPECT_EQ(value(make_plan(config(), size, kLaptop), "vocab_kind"), "word");
  EXPECT_FALSE(size.unspaced_target);
}

TEST(Plan, chinese_is_measured_by_characters) {
  const testing::ScratchFolder folder;
  const Corpus corpus({{{folder.write("zh", "床前明月光，疑是地上霜。\n举头望明月，低头思故乡。\n")}}});
  const CorpusSize size = measure_corpus(corpus);
  EXPECT_TRUE(size.unspaced_target);
  EXPECT_GT(size.target_tokens, 6);
  EXPECT_LT(size.target_tokens, 13);
}

}  // namespace
}  // namespace attune
