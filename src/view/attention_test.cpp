#include "view/attention.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <nlohmann/json.hpp>

#include "attune/error.h"
#include "view/attention_json.h"
#include "view/packed.h"
#include "view/page.h"

namespace attune::view {
namespace {

using nlohmann::json;
using Numbers = std::vector<int64_t>;

// 3 source tokens in 2 words, 2 written tokens in 1 word and the end; 2 layers of 2 heads.
Attention small() {
  Attention attention{.model = "m", .type = "transformer", .source = "the cat", .target = "Katze"};
  attention.encoder_tokens = {"▁the", "▁c", "at"};
  attention.decoder_tokens = {"<s>", "▁Kat", "ze"};
  attention.decoder_outputs = {"▁Kat", "ze", "</s>"};
  for (int64_t layer = 0; layer < 2; ++layer)
    attention.layers.push_back({AttentionKind::cross,
                                layer,
                                {0, 1},
                                3,
                                3,
                                {0.5, 0.25, 0.25, 0, 1, 0, 1, 0, 0,  //
                                 0.1, 0.2, 0.7, 0, 0, 1, 0, 0.5, 0.5}});
  attention.layers[1].weights[0] = 0.25F;
  attention.tree = {{.parent = -1, .on_result = true, .candidates = {{"▁Kat", 0.75}}},
                    {.parent = 0, .token = "▁Kat", .log_p = -0.25, .score = -0.25, .on_result = true}};
  return attention;
}

TEST(AttentionChoice, is_the_mean_of_the_heads_of_the_layer_before_the_last) {
  const AttentionMatrix matrix = choose(small(), {});
  EXPECT_EQ(matrix.sources, small().encoder_tokens);
  EXPECT_EQ(matrix.targets, small().decoder_outputs);
  EXPECT_FLOAT_EQ(matrix.weights[0][0], 0.3F);  // of layer 0
  EXPECT_FLOAT_EQ(matrix.weights[1][2], 0.5F);
}

TEST(AttentionChoice, the_head_that_was_taught_to_align_stands_for_its_layer) {
  Attention attention = small();
  attention.aligning_layer = 7;  // the nearest is the last
  attention.aligning_head = 0;
  EXPECT_FLOAT_EQ(choose(attention, {}).weights[0][0], 0.25F);
  EXPECT_FLOAT_EQ(choose(attention, {.layer = 1}).weights[0][0], 0.175F);  // who names a layer gets its mean
}

TEST(AttentionChoice, layers_count_from_both_ends_and_heads_by_their_numbers) {
  EXPECT_FLOAT_EQ(choose(small(), {.layer = -1, .head = 0}).weights[0][0], 0.25F);
  EXPECT_FLOAT_EQ(choose(small(), {.layer = 0, .head = 1}).weights[0][2], 0.7F);
  EXPECT_THROW(choose(small(), {.layer = 2}), UsageError);
  EXPECT_THROW(choose(small(), {.layer = -3}), UsageError);
  EXPECT_THROW(choose(small(), {.head = 2}), UsageError);
  EXPECT_THROW(choose(small(), {.kind = AttentionKind::encoder}), UsageError);
  EXPECT_TRUE(choose(Attention{}, {}).weights.empty());
}

TEST(MergedWords, words_begin_at_blanks_symbols_and_in_scripts_without_blanks) {
  const auto numbers = [](std::vector<std::string> pieces) { return word_numbers(pieces); };
  EXPECT_EQ(numbers({"▁the", "▁c", "at", ".", "</s>"}), (Numbers{0, 1, 1, 1, 2}));
  EXPECT_EQ(numbers({"▁", "c", "a", "▁", "t"}), (Numbers{0, 0, 0, 1, 1}));
  EXPECT_EQ(numbers({"▁我", "爱", "▁C", "++"}), (Numbers{0, 1, 2, 2}));
  EXPECT_EQ(numbers({"▁a", "<0xF0>", "<0x9F>", "▁b"}), (Numbers{0, 1, 1, 2}));
  EXPECT_EQ(numbers({"[CLS]", "▁a", "[SEP]"}), (Numbers{0, 1, 2}));
  EXPECT_EQ(numbers({}), Numbers{});
}

TEST(MergedWords, weights_are_summed_over_columns_and_averaged_over_rows) {
  const Attention words = merged_words(small());
  EXPECT_EQ(words.encoder_tokens, (std::vector<std::string>{"the", "cat"}));
  EXPECT_EQ(words.decoder_outputs, (std::vector<std::string>{"Katze", "</s>"}));
  EXPECT_EQ(words.output_words, (Numbers{0, 0, 1}));
  const AttentionMatrix head = choose(words, {.layer = 0, .head = 0});
  EXPECT_EQ(head.weights, (std::vector<std::vector<float>>{{0.25, 0.75}, {1, 0}}));
}

TEST(AttentionJson, has_bertviz_shape_and_our_own_keys) {
  const json all = json::parse(head_view_json(small()));
  EXPECT_TRUE(all["encoder_attention"].is_null());
  EXPECT_TRUE(all["decoder_attention"].is_null());
  EXPECT_EQ(all["cross_attention"].size(), 2);                           // layers
  EXPECT_EQ(all["cross_attention"][1][0][0], json({0.25, 0.25, 0.25}));  // head 0, query 0
  EXPECT_EQ(all["cross_attention"][0][1][2][1], 0.5);
  EXPECT_EQ(all["encoder_tokens"], json({"▁the", "▁c", "at"}));
  EXPECT_EQ(all["tree"][0]["candidates"][0]["p"], 0.75);
  EXPECT_EQ(json::parse(head_view_json(Attention{}))["cross_attention"], nullptr);
}

TEST(AttentionJson, packed_weights_come_back_to_the_sixteenth_bit) {
  EXPECT_EQ(base64({}), "");
  const std::string text = "any carnal pleas";
  EXPECT_EQ(base64({reinterpret_cast<const unsigned char*>(text.data()), text.size()}),
            "YW55IGNhcm5hbCBwbGVhcw==");
  // 0, 1 and 0.5 are the levels 0, 65535 and 32768: high bytes 00 ff 80, low bytes 00 ff 00
  const std::vector<unsigned char> planes{0x00, 0xff, 0x80, 0x00, 0xff, 0x00};
  std::vector<unsigned char> small(100);
  uLongf size = small.size();
  ASSERT_EQ(compress2(small.data(), &size, planes.data(), planes.size(), 9), Z_OK);
  small.resize(size);
  const std::vector<float> weights{0, 1, 0.5};
  EXPECT_EQ(packed(weights), base64(small));
}

TEST(AttentionJson, only_weights_that_are_exactly_0_are_packed_as_0) {
  const std::vector<float> masked{0, 1}, tiny{1e-9F, 1}, least{1 / 65535.0F, 1};
  EXPECT_NE(packed(masked), packed(tiny));
  EXPECT_EQ(packed(tiny), packed(least));
}

// The page computes low + w (high - low), where w is what was packed over 65535.
TEST(AttentionJson, the_ends_of_packed_numbers_are_exact) {
  Attention attention = small();
  attention.states.push_back({false, 0, {1, 3, {-2, 0.5F, 6}}});
  const json vectors = json::parse(packed_json(attention))["states"][0]["vectors"];
  const double low = vectors["low"], high = vectors["high"];
  EXPECT_EQ(low, -2);
  EXPECT_NEAR(low + 63 * 1024 / 65535.0 * (high - low), 6, 1e-5);
}

TEST(AttentionJson, tells_the_page_what_the_model_loses_without_heads) {
  Attention attention = small();
  EXPECT_FALSE(json::parse(packed_json(attention)).contains("importance"));
  attention.importance = {{AttentionKind::cross, 1, {0.5, -0.25}}};
  EXPECT_EQ(json::parse(packed_json(attention))["importance"],
            json::parse(R"([{"kind": "cross", "layer": 1, "losses": [0.5, -0.25]}])"));
}

TEST(AttentionJson, tells_the_page_where_the_model_aligns) {
  Attention attention = small();
  attention.aligning_layer = 1;
  attention.aligning_head = 0;
  const json all = json::parse(packed_json(attention));
  EXPECT_EQ(all["aligning_layer"], 1);
  EXPECT_EQ(all["aligning_head"], 0);
}

// What html() has packed.
std::string inflated(const std::string& base64_text) {
  static const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<unsigned char> bytes;
  uint32_t bits = 0, count = 0;
  for (const char c : base64_text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<uint32_t>(digits.find(c));
    if ((count += 6) >= 8) bytes.push_back(static_cast<unsigned char>(bits >> (count -= 8)));
  }
  std::string text(1 << 20, ' ');
  uLongf size = text.size();
  EXPECT_EQ(uncompress(reinterpret_cast<unsigned char*>(text.data()), &size, bytes.data(), bytes.size()),
            Z_OK);
  text.resize(size);
  return text;
}

TEST(Page, text_in_the_data_cannot_become_markup) {
  Attention attention = small();
  attention.encoder_tokens[0] = "</script><!--<b>\xff";  // and a byte that is no UTF-8
  const Page page{
      .title = {"<title>", "题目"}, .sentences = {{"", "", {attention}}}, .runs = {R"({"name":"a"})"}};
  const json all = json::parse(page_json(page));
  EXPECT_EQ(all["sentences"][0]["models"][0]["encoder_tokens"][0], "</script><!--<b>\ufffd");
  EXPECT_EQ(all["title"]["zh"], "题目");
  EXPECT_EQ(all["runs"][0]["name"], "a");
  if (!has_pages()) {
    EXPECT_THROW(html(page), UsageError);
    return;
  }
  for (const std::string& text : {html(page), html_with(page_json(page))}) {
    const size_t begin = text.find("id=\"attune-data\">"), end = text.find("</script>", begin);
    const std::string data = text.substr(begin + 17, end - begin - 17);
    EXPECT_EQ(data.find('<'), std::string::npos);
    const json read = json::parse(data);
    EXPECT_EQ(read.contains("deflated") ? json::parse(inflated(read["deflated"])) : read, all);
  }
}

}  // namespace
}  // namespace attune::view
