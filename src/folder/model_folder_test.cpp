#include "folder/model_folder.h"

#include <gtest/gtest.h>

#include "attune/error.h"
#include "models/random_folder_fixture.h"
#include "testing/op_check.h"
#include "testing/scratch.h"

namespace attune {
namespace {

using testing::expect_error;
using Texts = std::vector<std::string>;

const char* const kRnn = "type: rnn\nembedding: 8\nhidden: 8\n";
const char* const kGpt = "type: gpt\nlayers: 1\nd_model: 8\nheads: 2\nfeed_forward: 8\nmax_positions: 9\n";
const char* const kTagger = "type: rnn_lm\nembedding: 4\nhidden: 4\ntagger: true\n";

struct Folders {
  testing::ScratchFolder scratch;

  std::string add(const std::string& name, const std::string& configuration, uint64_t seed = 5) const {
    testing::save_random_model(scratch / name, configuration, seed);
    return (scratch / name).string();
  }
};

TEST(ModelFolder, gives_what_is_put_together_by_hand) {
  const Folders folders;
  const ModelFolder folder(folders.add("m", kRnn));
  const ModelFiles files = load_model_files(folder.path());
  const SearchOptions search{.beam_size = 3, .max_length = 12};
  const Translator by_hand(
      std::make_shared<const TextModel>(*files.model, *files.config, files.vocabularies, true),
      {.search = search});
  const Texts texts{"a b c", "", "f", "d e a b"};
  EXPECT_EQ(folder.translator({.search = folder.search()}).translate(texts), by_hand.translate(texts));
  EXPECT_EQ(folder.longest(), 0);
  EXPECT_EQ(folder.search().max_length, 12) << "as the folder says";
  EXPECT_EQ(folder.search({{"max_length", {"5"}, false, "here"}}).max_length, 5) << "as the caller says";
}

TEST(ModelFolder, a_multilingual_model_needs_a_target_language) {
  const Folders folders;
  const auto path = folders.scratch / "m";
  testing::save_random_model(path, kRnn, 5,
                             {.languages = {"en-fr", "en-de"}, .symbols = {">>de<<", ">>fr<<"}});
  const ModelFolder folder(path);
  EXPECT_EQ(folder.target_languages(), (Texts{"fr", "de"}));
  expect_error([&] { folder.translator({}); },
               "this model translates into fr, de; say which, as in --target-language fr");
  expect_error([&] { folder.scorer(); }, "say which");
  expect_error([&] { folder.prober({}); }, "say which");
  expect_error([&] { folder.towards("it"); }, "does not translate into 'it', only into fr, de");
  const ModelFolder german = folder.towards("de"), french = german.towards("fr");
  EXPECT_EQ(german.translator({}).source_pieces({.text = "a b"}), (Texts{">>de<<", "a", "b", "</s>"}));
  EXPECT_EQ(french.translator({}).source_pieces({.text = "a b"}), (Texts{">>fr<<", "a", "b", "</s>"}));
  EXPECT_EQ(&german.files(), &french.files()) << "the weights are there once";
  EXPECT_TRUE(french.translator({}).tokens("").empty());
}

TEST(ModelFolder, the_only_target_language_is_taken) {
  const Folders folders;
  const auto path = folders.scratch / "m";
  testing::save_random_model(path, kRnn, 5, {.languages = {"en-fr", "de-fr"}, .symbols = {">>fr<<"}});
  EXPECT_EQ(ModelFolder(path).translator({}).source_pieces({.text = "a"}), (Texts{">>fr<<", "a", "</s>"}));
}

// As converted from OPUS-MT.
TEST(ModelFolder, tokens_of_the_vocabulary_may_be_used_or_written_in_the_text) {
  const Folders folders;
  const auto path = folders.scratch / "m";
  testing::save_random_model(path, kRnn, 5, {.symbols = {">>pt_BR<<", ">>fr<<"}});
  const ModelFolder folder(path);
  EXPECT_EQ(folder.target_languages(), (Texts{"fr", "pt_BR"}));
  EXPECT_EQ(folder.translator({}).source_pieces({.text = ">>fr<< a"}), (Texts{">>fr<<", "a", "</s>"}));
  const Texts text{"a b c"}, with_token{">>pt_BR<< a b c"};
  EXPECT_EQ(folder.towards("pt_BR").translator({}).translate(text),
            folder.translator({}).translate(with_token));
}

TEST(ModelFolder, other_models_have_no_choice_of_languages) {
  const Folders folders;
  const ModelFolder folder(folders.add("m", kRnn));
  EXPECT_TRUE(folder.target_languages().empty());
  expect_error([&] { folder.towards("fr"); }, "no choice of target languages");
  EXPECT_EQ(&folder.towards("").model(), &folder.model());
}

TEST(ModelFolder, works_out_once_what_all_share) {
  const Folders folders;
  const ModelFolder folder(folders.add("m", kRnn));
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): the copy is what is tested
  const ModelFolder copy = folder;
  EXPECT_EQ(&folder.model().pieces(), &copy.model().pieces());
  EXPECT_EQ(&folder.writers(), &copy.writers());
  const Translator first = folder.translator({}), second = copy.translator({.search = {.beam_size = 1}});
  EXPECT_EQ(&first.model(), &second.model());
  EXPECT_EQ(&first.model().pieces(), &second.model().pieces());
}

TEST(ModelFolder, lives_as_long_as_what_it_gave) {
  const Folders folders;
  const std::string path = folders.add("m", kRnn);
  const Texts texts{"a b c"};
  const Translator translator = ModelFolder(path).translator({});
  const AttentionProbe probe = ModelFolder(path).prober({});
  EXPECT_EQ(translator.translate(texts)[0], probe.look("a b c").target);
}

TEST(ModelFolder, of_another_kind_is_refused_with_what_is_needed) {
  const Folders folders;
  const ModelFolder rnn(folders.add("rnn", kRnn)), gpt(folders.add("gpt", kGpt)),
      tagger(folders.add("tagger", kTagger));
  expect_error([&] { tagger.writers(); },
               "tagger: this model tags words and does not write text; use `attune classify`");
  expect_error([&] { tagger.translator({}); }, "does not write text");
  expect_error([&] { rnn.generator({}); },
               "this model translates, but a language model (type gpt or rnn_lm) is needed");
  expect_error([&] { rnn.classifier({}); }, "this model translates, but a classifier");
  expect_error([&] { gpt.filler({}); }, "this model continues text, but a masked language model");
  expect_error([&] { gpt.require_source(); }, "use `attune generate` with it");
  expect_error([&] { tagger.prober({}); }, "no attention to show");
  expect_error([&] { rnn.translator({.search = {.shortlist = true}}); }, "shortlist");
  EXPECT_THROW(ModelFolder(folders.scratch / "none"), UsageError);
  rnn.require_source();
  EXPECT_EQ(tagger.classifier({}).most_columns(), 1u);
}

TEST(ModelFolder, of_several_is_an_ensemble) {
  const Folders folders;
  const Texts paths{folders.add("a", kRnn, 1), folders.add("b", kRnn, 2)};
  const ModelFolder both(paths, std::vector<double>{1, 3});
  ASSERT_EQ(both.writers().members().size(), 2u);
  EXPECT_DOUBLE_EQ(both.writers().members()[1].weight, 0.75);
  EXPECT_DOUBLE_EQ(both.model().models()[1].weight, 0.75);
  EXPECT_EQ(both.all_files()[1].path, paths[1]);
  const Texts with_gpt{paths[0], folders.add("gpt", kGpt)};
  expect_error([&] { ModelFolder{with_gpt}; }, "they cannot be combined");
  expect_error([&] { ModelFolder(paths, std::vector<double>{1}); }, "there are 2 models, but 1 weights");
  expect_error(
      [&] {
        ModelFolder(paths, std::vector<double>{1, 0});
      },
      "weights must be positive, but one is 0");
  expect_error([&] { both.prober({}); }, "attention can be shown for one model at a time");
}

TEST(ModelFolder, reads_at_most_what_all_models_of_an_ensemble_can) {
  const Folders folders;
  const std::string more = "type: gpt\nlayers: 1\nd_model: 8\nheads: 2\nfeed_forward: 8\nmax_positions: 20\n";
  const Texts paths{folders.add("a", more), folders.add("b", kGpt)};
  EXPECT_EQ(ModelFolder(paths).longest(), 9);
}

}  // namespace
}  // namespace attune
