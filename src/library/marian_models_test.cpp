// Small models in Marian's format, with its own translations and scores: tests/golden/marian.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "attune/loaded_model.h"
#include "attune/model_formats.h"
#include "io/files/file.h"
#include "testing/golden.h"
#include "testing/scratch.h"

namespace attune {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path kGolden = testing::golden("marian");

LoadedModel converted(const std::string& name, const json& about, const fs::path& folder) {
  ConversionOptions options;
  for (const std::string vocabulary : about.at("vocabularies"))
    options.vocabs.push_back(kGolden / vocabulary);
  return LoadedModel(convert_model(kGolden / (name + ".npz"), folder, options).at(0));
}

// Marian's: at most 20 words, however short the source is; then an output is cut off.
constexpr size_t kLongest = 20;
const DecodingOptions kGreedy{.beam_size = 1, .max_length = kLongest, .others = {{"max_length_factor", 0}}},
    kBeam{.beam_size = 4, .normalize = 0.6, .max_length = kLongest, .others = {{"max_length_factor", 0}}};

TEST(MarianModels, words_and_their_scores_are_those_of_marian) {
  const json about = json::parse(read_file(kGolden / "translations.json"));
  ASSERT_GE(about.at("models").size(), 20U);
  const auto sentences = about.at("sentences").get<std::vector<std::string>>();
  const testing::ScratchFolder scratch;
  for (const auto& [name, golden] : about.at("models").items()) {
    const LoadedModel model = converted(name, golden, scratch / name);
    const auto greedy = model.translate(sentences, kGreedy), beam = model.translate(sentences, kBeam);
    for (size_t i = 0; i < sentences.size(); ++i)
      for (const auto& [search, ours] : {std::pair{"greedy", greedy[i]}, std::pair{"beam", beam[i]}}) {
        const std::string text = golden.at(search).at(i).at(0);
        const auto expected = golden.at(search).at(i).at(1).get<std::vector<double>>();
        const std::string where = fmt::format("{}, {}, sentence {}", name, search, i);
        // Beam searches differ in what they prefer to an output that is cut off.
        const bool may_differ = search == std::string_view("beam") && expected.size() == kLongest;
        EXPECT_TRUE(ours == text || may_differ) << where << ": " << ours << " instead of " << text;
        if (expected.empty()) continue;
        const std::vector<std::vector<std::string>> rows{{sentences[i], text}};
        const auto scores = model.score(rows)[0].word_scores;
        ASSERT_EQ(scores.size(), expected.size() + 1) << where;  // </s> too
        for (size_t w = 0; w < expected.size(); ++w)
          EXPECT_NEAR(scores[w], expected[w], 2e-5) << where << ", word " << w;
      }
  }
}

TEST(MarianModels, forced_scores_of_newer_networks_are_those_of_their_equations) {
  const json about = json::parse(read_file(kGolden / "scores.json"));
  ASSERT_GE(about.at("models").size(), 5U);
  std::vector<std::vector<std::string>> pairs;
  for (size_t i = 0; i < about.at("source").size(); ++i)
    pairs.push_back({about["source"][i], about["target"][i]});
  const testing::ScratchFolder scratch;
  for (const auto& [name, golden] : about.at("models").items()) {
    const auto scores = converted(name, golden, scratch / name).score(pairs);
    for (size_t i = 0; i < pairs.size(); ++i)
      EXPECT_NEAR(scores[i].log_p, golden.at("scores").at(i).get<double>(), 1e-4) << name << ", pair " << i;
  }
}

}  // namespace
}  // namespace attune
