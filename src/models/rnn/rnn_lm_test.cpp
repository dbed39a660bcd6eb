#include "models/rnn/rnn_lm.h"

#include <gtest/gtest.h>

#include "config/yaml.h"
#include "testing/op_check.h"

namespace attune {
namespace {

Tensor tagged(const std::string& keys, const std::vector<std::vector<int32_t>>& texts) {
  Parameters parameters;
  const auto model =
      read_model_config(
          read_yaml("type: rnn_lm\ntagger: true\nembedding: 4\nhidden: 6\ndropout: 0\n" + keys, "t"))
          ->make(Scope(parameters, Random(3)), {9, 5});
  Pass pass;
  return model->logits(model->features(
      {.source = empty_sentences(std::ssize(texts)), .given = ragged(texts), .segments = {}, .expected = {}},
      pass));
}

TEST(Tagger, in_both_directions_the_first_tag_depends_on_the_last_word) {
  for (const std::string keys : {"bidirectional: true\nlayers: 2\n", "bidirectional: false\n"}) {
    const Tensor a = tagged(keys, {{1, 2, 3}}), b = tagged(keys, {{1, 2, 4}});
    const bool differs = a.data<float>()[0] != b.data<float>()[0];
    EXPECT_EQ(differs, keys.starts_with("bidirectional: true")) << keys;
    testing::expect_close(tagged(keys, {{5, 6}, {1, 2, 3}}).view_rows(2, 5), a, 1e-6, "beside another text");
  }
}

TEST(Tagger, a_language_model_cannot_read_ahead) {
  testing::expect_error([] { read_model_config(read_yaml("type: rnn_lm\nbidirectional: true\n", "t")); },
                        "bidirectional: it is for a tagger");
}

}  // namespace
}  // namespace attune
