// Marian's vocabularies: words with ids, SentencePiece, and SentencePiece with other ids.
#include "convert/marian/vocabulary.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <tuple>

#include "convert/marian/files.h"
#include "convert/marian/word_list.h"
#include "io/files/file.h"
#include "testing/op_check.h"
#include "testing/scratch.h"
#include "text/sentencepiece/writer.h"
#include "text/vocabulary/vocabulary_trainer.h"

namespace attune::marian {
namespace {

namespace fs = std::filesystem;
using testing::expect_error;

struct Files {
  testing::ScratchFolder folder;

  fs::path write(const std::string& name, const std::string& content) const {
    std::ofstream(folder / name, std::ios::binary) << content;
    return folder / name;
  }
};

TEST(MarianWords, lists_are_read_as_yaml_json_and_lines) {
  const Files files;
  const std::vector<std::string> expected{"</s>", "<unk>", "ä", "~", "\"", "日本", "null", "no: "};
  const fs::path lists[] = {
      files.write("v.yml", "</s>: 0\n<unk>: 1\nä: 2\n~: 3\n\"\\\"\": 4\n日本: 5\nnull: 6\n\"no: \": 7\n"),
      files.write("v.json",
                  R"({"</s>": 0, "<unk>": 1, "ä": 2, "~": 3, "\"": 4, "日本": 5, "null": 6, "no: ": 7})"),
      files.write("v.txt", "</s>\n<unk>\nä\n~\n\"\n日本\nnull\nno: \n")};
  for (const fs::path& path : lists) {
    const WordList list = read_word_list(path, 8);
    EXPECT_EQ(list.words, expected) << path;
    EXPECT_EQ(list.end, 0);
    EXPECT_EQ(list.unknown, 1);
    EXPECT_EQ(read_word_list(path, 3).words.size(), 3U);  // the model's size decides
    EXPECT_EQ(read_word_list(path, 10).words[9], "<unused9>");
  }
}

TEST(MarianWords, special_words_may_be_anywhere_and_have_the_names_of_nematus) {
  const Files files;
  const WordList moved = read_word_list(files.write("a.yml", "x: 0\ny: 1\n<unk>: 3\n</s>: 2\n"), 4);
  EXPECT_EQ(moved.end, 2);
  EXPECT_EQ(moved.unknown, 3);
  const WordList old = read_word_list(files.write("b.yml", "eos: 0\nUNK: 1\nx: 2\n"), 3);
  EXPECT_EQ(old.words, (std::vector<std::string>{"</s>", "<unk>", "x"}));
  EXPECT_EQ(read_word_list(files.write("c.yml", "x: 2\n"), 3).words[0], "</s>");
}

TEST(MarianWords, a_bad_list_is_refused_with_the_reason) {
  const Files files;
  const auto read = [&](const std::string& text) {
    return [&files, text] { read_word_list(files.write("v.yml", text), 9); };
  };
  expect_error(read("a: 5\nb: 5\n"), "have the same id, 5");
  expect_error(read("a: x\n"), "the id of 'a' should be a number, not 'x'");
  expect_error(read("- a\n- b\n"), "should be a list of words with their ids");
  expect_error(read("a: 0\nb: 1\n"), "the list has no '</s>'");
  expect_error(read("a: 2\n\xff: 3\n"), "is not UTF-8");
}

TEST(MarianVocabulary, rows_move_to_attunes_order_and_only_blanks_separate_words) {
  const Files files;
  const VocabularyFiles list{{}, files.write("v.yml", "a: 0\n</s>: 1\nb\u00a0c: 2\n<unk>: 3\nü: 4\n")};
  const auto [source, target] = read_vocabularies(list, list, {5, 5});
  EXPECT_EQ(source.words, target.words);
  const Vocabulary& words = *source.words;
  EXPECT_EQ(words.encode("ü a  b\u00a0c x"), (std::vector<int32_t>{5, 3, 4, 0}));
  EXPECT_EQ(source.rows, (std::vector<int64_t>{3, -1, 1, 0, 2, 4}));
  const auto again = parse_vocabulary(words.serialized(), "again");
  EXPECT_EQ(again->encode("b\u00a0c"), words.encode("b\u00a0c"));
  const Tensor table = Tensor::of<float>({5, 1}, {10.f, 11.f, 12.f, 13.f, 14.f});
  const Tensor moved = source.embeddings(table);
  for (const auto& [id, value] : {std::pair{0, 13.f}, {2, 11.f}, {3, 10.f}, {4, 12.f}, {5, 14.f}})
    EXPECT_EQ(moved.data<float>()[id], value);
  EXPECT_LT(source.bias(table.view({5})).data<float>()[1], -1e8f);
}

// A SentencePiece model of its own for each side, and one list of ids for both, as OPUS-MT has them.
TEST(MarianVocabulary, pieces_get_the_ids_of_the_list_and_split_text_as_before) {
  const Files files;
  const auto trained = [](const std::vector<std::string>& lines) {
    return train_vocabulary(
        {{static_cast<int64_t>(lines.size()), [lines](int64_t i) { return lines[static_cast<size_t>(i)]; }}},
        {.kind = VocabularyKind::unigram, .size = 40, .byte_fallback = false});
  };
  const auto english = trained({"the cat sees the dog", "the dog sees a bird", "a cat and a bird"});
  const auto german = trained({"die Katze sieht den Hund", "größere Vögel sehen", "der Hund sieht Vögel"});
  const fs::path source = files.write("source.spm", english->serialized()),
                 target = files.write("target.spm", german->serialized());
  std::set<std::string> all;
  for (const auto* side : {english.get(), german.get()})
    for (int32_t i = 0; i < side->size(); ++i) all.insert(side->piece(i));
  for (const char* special : {"</s>", "<unk>", "<s>"}) all.erase(special);
  const std::string left_out = english->piece(english->encode("the")[0]);
  all.erase(left_out);
  std::string list = "</s>: 0\n<unk>: 1\n";
  int64_t id = 2;
  for (const std::string& piece : all) list += "\"" + piece + "\": " + std::to_string(id++) + "\n";
  list += "\">>deu<<\": " + std::to_string(id) + "\n<pad>: " + std::to_string(id + 1) + "\n";
  id += 2;
  const fs::path ids = files.write("opus.vocab.yml", list);

  const auto [from, to] = read_vocabularies({source, ids}, {target, ids}, {id, id});
  EXPECT_EQ(from.rows, to.rows);
  EXPECT_EQ(from.words->size(), to.words->size());
  EXPECT_EQ(from.words->eos(), 0);
  EXPECT_EQ(from.words->unk(), 1);
  for (const auto& [own, read, text] :
       {std::tuple{english.get(), from.words.get(), "the bird sees a cat"},
        std::tuple{german.get(), to.words.get(), "größere Katze der Vögel"}}) {
    EXPECT_EQ(read->pieces(text), own->pieces(text));
    const auto tokens = read->encode(text);
    EXPECT_EQ(read->decode(tokens), text);
    for (const int32_t token : tokens) {
      const std::string piece = read->piece(token);
      EXPECT_TRUE(piece == left_out || all.contains(piece)) << piece;
    }
  }
  EXPECT_EQ(from.rows[static_cast<size_t>(*from.words->id(left_out))], -1);  // means <unk>
  const auto tagged = from.words->encode(">>deu<< a cat");
  EXPECT_EQ(tagged[0], id - 2);
  EXPECT_EQ(std::vector<int32_t>(tagged.begin() + 1, tagged.end()), from.words->encode("a cat"));
}

TEST(MarianFiles, vocabularies_are_found_beside_the_model_or_in_its_settings) {
  const Files files;
  const fs::path folder = files.folder / "m";
  fs::create_directory(folder);
  const auto touch = [&](const std::string& name, const std::string& text = "x") {
    std::ofstream(folder / name) << text;
    return folder / name;
  };
  const fs::path model = touch("model.npz");
  EXPECT_TRUE(is_model(folder));
  expect_error([&] { models_of({folder}); }, "there is no vocabulary (.spm or .yml) beside the model");
  touch("v.en.yml");
  EXPECT_EQ(models_of({folder})[0].vocabularies, std::vector{folder / "v.en.yml"});
  touch("v.de.yml");
  expect_error([&] { models_of({folder}); }, "which is the source's? Name them with --vocabs SOURCE TARGET");
  const std::vector<fs::path> named{folder / "v.en.yml", folder / "v.de.yml"};
  EXPECT_EQ(models_of({model, named})[0].vocabularies, named);
  touch("second.npz");
  expect_error([&] { models_of({folder}); }, "there are 2 .npz files and no decoder.yml");
  touch("decoder.yml",
        "models:\n  - model.npz\n  - /elsewhere/second.npz\nvocabs:\n  - v.en.yml\n  - "
        "v.de.yml\nrelative-paths: true\n");
  const auto both = models_of({folder});
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both[1].path, folder / "second.npz");
  EXPECT_EQ(both[1].vocabularies, named);
  touch("target.spm");
  touch("source.spm");
  const auto [source, target] = sides_of(models_of({folder})[0].vocabularies);
  EXPECT_EQ(source, (VocabularyFiles{folder / "source.spm", folder / "v.en.yml"}));
  EXPECT_EQ(target, (VocabularyFiles{folder / "target.spm", folder / "v.de.yml"}));
}

}  // namespace
}  // namespace attune::marian
