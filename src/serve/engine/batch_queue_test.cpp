#include "serve/engine/batch_queue.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "attune/patience.h"
#include "serve/api/service_fixture.h"

namespace attune::serve {
namespace {

using std::chrono::milliseconds;

struct Queue {
  testing::ScratchFolder scratch;
  Metrics metrics;
  BatchQueue::Model model;

  Queue() {
    save_random_model(scratch / "model", "type: rnn\nembedding: 8\nhidden: 8\n", 3);
    const std::string place = (scratch / "model").string();
    model = std::make_shared<const ServedModel>(ModelFolder(place), Direction{"en", "de"}, place, Entries{});
  }
  BatchQueue::Sentences sentences(size_t count, const std::string& text) const {
    return {count, model->plain().tokens(text)};
  }
};

BatchQueue::Time soon(milliseconds time) { return std::chrono::steady_clock::now() + time; }

TEST(BatchQueue, without_threads_the_caller_translates) {
  Queue set;
  BatchQueue threads({.workers = 1, .batch_tokens = 8}, set.metrics);
  BatchQueue none({.batch_tokens = 8, .by_caller = true}, set.metrics);
  const auto expected =
      threads.translate(set.model, {}, set.sentences(5, "a b c"), soon(milliseconds(600'000)));
  const auto outputs = none.translate(set.model, {}, set.sentences(5, "a b c"), soon(milliseconds(0)));
  ASSERT_EQ(outputs.size(), 5U);
  for (size_t i = 0; i < 5; ++i) EXPECT_EQ(outputs[i][0].words, expected[i][0].words);
}

TEST(BatchQueue, too_much_that_waits_and_too_little_time_are_refused_in_all_threads) {
  Queue set;
  // No worker: all waits.
  BatchQueue queue({.workers = 0, .batch_tokens = 8, .waiting_tokens = 10}, set.metrics);
  const auto status = [&](milliseconds time) {
    try {
      queue.translate(set.model, {}, set.sentences(2, "a b c"), soon(time));  // 8 tokens with </s>
    } catch (const HttpRefusal& refusal) {
      EXPECT_GT(refusal.retry_after, 0);
      return std::string(refusal.what()).substr(0, 8);
    }
    return std::string("done");
  };
  const auto waiting = [&](const char* tokens) {
    return set.metrics.text().find(std::string("attune_queue_tokens ") + tokens + "\n") != std::string::npos;
  };
  std::stop_source life;
  auto first = std::async(std::launch::async, [&] {
    const Patience patience(life.get_token());
    EXPECT_THROW(queue.translate(set.model, {}, set.sentences(2, "a b c"), soon(milliseconds(600'000))),
                 GivenUp);
  });
  while (!waiting("8")) std::this_thread::yield();
  EXPECT_EQ(status(milliseconds(600'000)), "too much");
  life.request_stop();
  first.get();
  EXPECT_TRUE(waiting("0"));
  EXPECT_EQ(status(milliseconds(1)), "the tran");  // what was given up no longer waits
}

TEST(BatchQueue, a_short_request_does_not_wait_for_a_long_one_in_other_threads) {
  Queue set;
  BatchQueue queue({.workers = 1, .batch_tokens = 8, .waiting_tokens = 10'000'000, .wait = milliseconds(0)},
                   set.metrics);
  std::stop_source life;
  auto long_one = std::async(std::launch::async, [&] {
    const Patience patience(life.get_token());
    EXPECT_THROW(
        queue.translate(set.model, {}, set.sentences(200'000, "a b c"), soon(milliseconds(3'600'000))),
        GivenUp);
  });
  while (set.metrics.text().find("attune_batch_sentences_count 0") != std::string::npos)
    std::this_thread::yield();
  EXPECT_EQ(queue.translate(set.model, {}, set.sentences(1, "d e f"), soon(milliseconds(600'000))).size(),
            1u);
  life.request_stop();
  long_one.get();
}

TEST(BatchQueue, a_lone_request_does_not_wait_for_company_in_other_threads) {
  Queue set;
  BatchQueue queue({.workers = 2, .batch_tokens = 1000, .wait = milliseconds(3'600'000)}, set.metrics);
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(queue.translate(set.model, {}, set.sentences(1, "d e f"), soon(milliseconds(60'000))).size(),
              1u);
}

}  // namespace
}  // namespace attune::serve
