#include "models/model_files.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "attune/autograd.h"
#include "config/yaml.h"
#include "tensor/constants.h"
#include "testing/op_check.h"
#include "testing/scratch.h"
#include "text/sentencepiece/trainer.h"
#include "text/vocabulary/vocabulary_trainer.h"

namespace attune {
namespace {

namespace fs = std::filesystem;
using testing::expect_error;

std::shared_ptr<const Vocabulary> word_vocabulary(const std::string& line) {
  return train_vocabulary({{1, [line](int64_t) { return line; }}}, {.kind = VocabularyKind::word});
}

struct Decoding {
  int64_t beam_size = 5;
  void fields(Fields& f) const { f("beam_size", beam_size, ""); }
};

struct Saved {
  testing::ScratchFolder scratch;
  fs::path path = scratch / "model";
  std::unique_ptr<ModelConfig> config;
  Vocabularies vocabularies{word_vocabulary("a b c"), word_vocabulary("x y")};
  Parameters parameters;
  std::unique_ptr<Model> model;

  explicit Saved(const std::string& text = "type: rnn\nembedding: 4\nhidden: 6\n")
      : config(read_model_config(read_yaml(text, "test.yml"))),
        model(config->make(Scope(parameters, Random(3)),
                           {vocabularies.source->size(), vocabularies.target->size()})) {
    save();
  }
  void save() {
    const Decoding decoding;
    save_model_folder(path, *config, vocabularies, parameters, fields_of(decoding), [](Fields&) {});
  }
  void refused(const std::string& message) const {
    expect_error([&] { load_model_files(path); }, message);
  }
};

Batch batch() {
  return {.source = {Tensor::of<int32_t>({3}, {3, 4, 2}), Rows{3}},
          .given = {Tensor::of<int32_t>({2}, {1, 3}), Rows{2}},
          .segments = {},
          .expected = {}};
}

TEST(ModelFiles, gives_back_the_model_that_was_saved) {
  const Saved saved;
  const ModelFiles loaded = load_model_files(saved.path);
  EXPECT_EQ(loaded.config->type(), "rnn");
  EXPECT_EQ(loaded.vocabularies.target->piece(3), saved.vocabularies.target->piece(3));
  EXPECT_EQ(loaded.decoding.at(0).values.at(0), "5");
  const NoGrad no_grad;
  const Frozen constants(saved.parameters);
  Pass pass;
  testing::expect_close(loaded.model->features(batch(), pass), saved.model->features(batch(), pass), 0,
                        "features");
}

TEST(ModelFiles, replaces_a_former_one_as_a_whole) {
  Saved saved;
  testing::put(saved.path / "something", "else");
  saved.save();
  EXPECT_FALSE(fs::exists(saved.path / "something"));
  load_model_files(saved.path);
}

TEST(ModelFiles, of_a_run_is_the_best_model_in_it) {
  const Saved saved;
  const fs::path run = saved.scratch / "run";
  fs::create_directories(run);
  expect_error([&] { load_model_files(run); }, "nor the folder of a run (it has no run.json)");
  for (const char* name : {"best-bleu", "best-exact"}) fs::copy(saved.path, run / name);
  EXPECT_EQ(load_model_files(run).path, run / "best-bleu") << "as attune 0.1 left it";
  for (const char* name : {"best-bleu", "best-exact"}) {
    testing::put(run / "run.json", fmt::format(R"({{"format": 1, "best": "{}"}})", name));
    EXPECT_EQ(load_model_files(run).path, run / name);
  }
  testing::put(run / "run.json", R"({"best": "best-chrf"})");
  expect_error([&] { load_model_files(run); }, "this run has no model yet");
  fs::copy(saved.path, run / "last");
  EXPECT_EQ(load_model_files(run).path, run / "last");
}

TEST(ModelFiles, is_removed_without_what_is_not_its_own) {
  const Saved saved;
  testing::put(saved.path / "notes.txt", "mine");
  remove_model_folder(saved.path);
  EXPECT_EQ(testing::get(saved.path / "notes.txt"), "mine");
  EXPECT_FALSE(fs::exists(saved.path / "config.json"));
  fs::remove(saved.path / "notes.txt");
  remove_model_folder(saved.path);
  EXPECT_FALSE(fs::exists(saved.path));
}

// Until format 2, `input_feeding: true` fed the context.
TEST(ModelFiles, of_format_1_feeds_the_context) {
  const Saved saved(
      "type: rnn\nembedding: 4\nhidden: 6\nwiring: luong\nattention: general\ninput_feeding: context\n");
  std::string config = testing::get(saved.path / "config.json");
  const auto replace = [&](const std::string& from, const std::string& to) {
    ASSERT_NE(config.find(from), std::string::npos) << from;
    config.replace(config.find(from), from.size(), to);
  };
  replace("\"format\": 2", "\"format\": 1");
  replace("\"input_feeding\": \"context\"", "\"input_feeding\": true");
  testing::put(saved.path / "config.json", config);
  load_model_files(saved.path);
  replace("\"format\": 1", "\"format\": 2");
  testing::put(saved.path / "config.json", config);
  saved.refused("decoder.layer0.input");
}

TEST(ModelFiles, keeps_a_character_model_of_SentencePiece_as_such) {
  const testing::ScratchFolder scratch;
  const std::shared_ptr<const Vocabulary> characters =
      train_sentencepiece({{1, [](int64_t) { return "你好 abc"; }}},
                          {.kind = VocabularyKind::character, .size = 20, .byte_fallback = false});
  const auto config = read_model_config(read_yaml("type: rnn\nembedding: 4\nhidden: 4\n", "test.yml"));
  Parameters parameters;
  const auto model = config->make(Scope(parameters, Random(1)), {characters->size(), characters->size()});
  save_model_folder(
      scratch / "m", *config, {characters, characters}, parameters, [](Fields&) {}, [](Fields&) {});
  EXPECT_TRUE(fs::exists(scratch / "m" / "vocab.spm"));
  EXPECT_EQ(load_model_files(scratch / "m").vocabularies.source->pieces("你 b"),
            (std::vector<std::string>{"▁", "你", "▁", "b"}));
}

TEST(ModelFiles, in_which_something_is_missing_is_refused) {
  const Saved saved;
  expect_error([&] { load_model_files(saved.scratch / "none"); }, "there is no such model folder");
  for (const char* name : {"config.json", "weights.safetensors", "source.txt", "target.txt"}) {
    const Saved broken;
    fs::remove(broken.path / name);
    broken.refused(name);
  }
}

TEST(ModelFiles, with_a_file_of_another_model_is_refused) {
  const Saved saved, wider("type: rnn\nembedding: 4\nhidden: 8\n"), other("type: rnn_lm\ntagger: true\n");
  for (const Saved* foreign : {&wider, &other}) {
    fs::copy(foreign->path / "weights.safetensors", saved.path / "weights.safetensors",
             fs::copy_options::overwrite_existing);
    saved.refused("weights.safetensors");
  }
  const Saved words;
  testing::put(words.path / "target.txt", testing::get(words.path / "source.txt"));
  words.refused("output.weight");
}

TEST(ModelFiles, with_a_damaged_file_is_refused) {
  for (const char* name : {"config.json", "weights.safetensors", "source.txt"}) {
    const Saved saved;
    const std::string content = testing::get(saved.path / name);
    testing::put(saved.path / name, content.substr(0, content.size() / 2));
    saved.refused(name);
    testing::put(saved.path / name, "");
    saved.refused(name);
  }
  const Saved newer;
  std::string config = testing::get(newer.path / "config.json");
  config.replace(config.find("\"format\": 2"), 11, "\"format\": 9");
  testing::put(newer.path / "config.json", config);
  newer.refused("the folder has format 9, but this attune reads formats 1 to 2");
}

}  // namespace
}  // namespace attune
