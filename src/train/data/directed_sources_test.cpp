#include "train/data/directed_sources.h"

#include <gtest/gtest.h>

#include "attune/error.h"
#include "testing/scratch.h"
#include "text/corpus/corpus.h"

namespace attune {
namespace {

struct DirectedSources : ::testing::Test {
  testing::ScratchFolder folder;
  CorpusSource like{.files = {}, .wanted = {{"en-fr", "en-de", "de-en"}, {}}};

  std::string path(const std::string& name) const { return (folder / name).string(); }
  // "en-fr a.en a.fr" for each source.
  std::vector<std::string> sources(const std::vector<std::string>& files,
                                   const std::string& key = "train_sets",
                                   const std::vector<std::string>& weights = {}) const {
    std::vector<std::string> paths, texts;
    for (const std::string& file : files) paths.push_back(path(file));
    for (const CorpusSource& source : directed_sources(key, paths, like, weights)) {
      std::string& text = texts.emplace_back(source.wanted.languages[0] + "-" + source.wanted.languages[1]);
      for (const std::string& file : source.files) text += " " + file.substr(path("").size());
      if (source.weight != 1) text += " * " + std::to_string(static_cast<int>(source.weight));
    }
    return texts;
  }
  std::string refusal(const std::vector<std::string>& files) const {
    try {
      sources(files);
      return "";
    } catch (const UsageError& error) {
      return error.what();
    }
  }
};

using Texts = std::vector<std::string>;

TEST_F(DirectedSources, files_that_differ_in_their_language_belong_together) {
  for (const char* name : {"a.en", "a.fr", "b.x.en", "b.x.de.gz"}) folder.write(name, "text\n");
  EXPECT_EQ(sources({"a.en", "b.x.de.gz", "a.fr", "b.x.en"}),
            (Texts{"en-fr a.en a.fr", "en-de b.x.en b.x.de.gz", "de-en b.x.de.gz b.x.en"}));
}

TEST_F(DirectedSources, a_stem_stands_for_all_its_languages) {
  for (const char* name : {"a.en", "a.fr", "a.de", "a.it"}) folder.write(name, "text\n");
  const Texts all{"en-fr a.en a.fr", "en-de a.en a.de", "de-en a.de a.en"};
  EXPECT_EQ(sources({"a"}), all);
  EXPECT_EQ(sources({"a.de", "a.en", "a.fr", "a.en"}), all);
  EXPECT_EQ(some_files_of_stem(path("a"), {"en", "it", "zh"}), (Texts{path("a.en"), path("a.it")}));
}

TEST_F(DirectedSources, weights_are_for_corpora) {
  for (const char* name : {"a.en", "a.fr", "b.en", "b.de"}) folder.write(name, "text\n");
  EXPECT_EQ(sources({"a", "b.en", "b.de"}, "train_sets", {"1", "3"}),
            (Texts{"en-fr a.en a.fr", "en-de b.en b.de * 3", "de-en b.de b.en * 3"}));
}

TEST_F(DirectedSources, a_file_of_many_languages_has_the_directions_of_its_units) {
  like.wanted.languages = {"en-fr", "de-fr", "en-de"};
  folder.write("memory.tmx", R"(<tmx version="1.4"><header/><body>
    <tu><tuv xml:lang="en-US"><seg>one</seg></tuv><tuv xml:lang="fr"><seg>un</seg></tuv></tu>
    <tu><tuv xml:lang="en"><seg>two</seg></tuv><tuv xml:lang="de"><seg>zwei</seg></tuv></tu>
    </body></tmx>)");
  folder.write("table.csv", "de,id,fr\nzwei,7,deux\n");
  EXPECT_EQ(sources({"memory.tmx", "table.csv"}),
            (Texts{"en-fr memory.tmx", "de-fr table.csv", "en-de memory.tmx"}));
  std::vector<std::string> files{path("memory.tmx"), path("table.csv")};
  const Corpus corpus(directed_sources("train_sets", files, like, {}));
  ASSERT_EQ(corpus.lines(), 3);
  EXPECT_EQ(corpus.line(1), (Texts{"zwei", "deux"}));
  EXPECT_EQ(corpus.languages(1), (Texts{"de", "fr"}));
  EXPECT_EQ(corpus.line(2), (Texts{"two", "zwei"}));
  EXPECT_EQ(corpus.languages(2), (Texts{"en", "de"}));
}

TEST_F(DirectedSources, what_is_missing_is_said) {
  for (const char* name : {"a.en", "a.fr", "b.txt", "c.fr", "c.de"}) folder.write(name, "text\n");
  EXPECT_EQ(refusal({"a"}), "train_sets: no corpus has both languages of en-de");
  EXPECT_EQ(sources({"a"}, "valid_sets"), (Texts{"en-fr a.en a.fr"}));
  EXPECT_NE(refusal({"b.txt"}).find("does not end in one of the languages (en, fr, de)"), std::string::npos);
  EXPECT_NE(refusal({"c"}).find("c does not have both languages of any direction (en-fr, en-de, de-en)"),
            std::string::npos);
}

}  // namespace
}  // namespace attune
