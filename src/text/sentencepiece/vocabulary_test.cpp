// Our splitting and joining beside SentencePiece's own library.
#include "text/sentencepiece/vocabulary.h"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include <filesystem>

#include "attune/error.h"
#include "attune/random.h"
#include "text/sentencepiece/writer.h"

namespace attune {
namespace {

using Options = std::unordered_map<std::string, std::string>;

const std::vector<std::string> kText = {
    "A man in a blue shirt is standing on a ladder cleaning a window.",
    "Zwei junge weiße Männer sind im Freien in der Nähe vieler Büsche.",
    "Deux jeunes hommes, blancs, sont dehors près de buissons…",
    "我们可以在没有分词器的情况下处理中文文本。我爱你。",
    "Москва — столица России. Два человека идут по улице.",
    "The the THE: 3.14 ½ ﬁne ＡＢＣ ①②③ 𝒳 e\u0301 é  two  blanks\tand a tab",
    "これはテストです。カタカナとひらがな。 [MASK] and <user> and <users>",
    "नमस्ते दुनिया 👩‍👩‍👧 👍🏽 ﷺ"};

std::string trained(Options options) {
  class Lines final : public sentencepiece::SentenceIterator {
   public:
    bool done() const override { return at_ == kText.size() * 3; }
    void Next() override { ++at_; }
    const std::string& value() const override { return kText[at_ % kText.size()]; }
    sentencepiece::util::Status status() const override { return {}; }

   private:
    size_t at_ = 0;
  } lines;
  options.emplace("vocab_size", "400");
  options.emplace("hard_vocab_limit", "false");
  options["minloglevel"] = "3";
  std::string model;
  const auto status = sentencepiece::SentencePieceTrainer::Train(options, &lines, &model);
  EXPECT_TRUE(status.ok()) << status.message();
  return model;
}

// Parts of the text and characters of all kinds, put together by chance.
std::string varied_line(const Random& random) {
  static const std::vector<std::string> kOthers = {
      " ",      "  ",      "\t",     "\u3000", "▁",
      "\u00A0", "<unk>",   "<s>",    "</s>",   "[MASK]",
      "<user>", "<users>", "<0x41>", "\u2047", "é",
      "ﬁ",      "Å",       "\u0301", "龘",     "\U0001F468\u200D\U0001F469",
      "\uFFFD", "ß",       "ᾳ",      "x",      "\n",
      "①",      "㌀",      "\u200B", "\xFF",   "\xE4\xBD"};  // not UTF-8
  std::string line;
  for (uint64_t i = 0, parts = random.below(7, 0); i < parts; ++i) {
    const Random choice = random.stream(i);
    if (choice.below(2, 0) == 0) {
      line += kOthers[choice.below(kOthers.size(), 1)];
      continue;
    }
    const std::string& text = kText[choice.below(kText.size(), 1)];
    const auto whole = [&](size_t at) {
      while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
      return at;
    };
    const size_t begin = whole(choice.below(text.size(), 2));
    line += text.substr(begin, whole(std::min(text.size(), begin + choice.below(30, 3))) - begin);
  }
  return line;
}

void expect_the_same(const std::string& model, uint64_t lines, const std::string& what) {
  sentencepiece::SentencePieceProcessor library;
  ASSERT_TRUE(library.LoadFromSerializedProto(model).ok()) << what;
  const auto ours = parse_sentencepiece_vocabulary(model, "test");
  ASSERT_EQ(ours->size(), library.GetPieceSize());
  EXPECT_EQ(ours->unk(), library.unk_id());
  EXPECT_EQ(ours->eos(), library.eos_id());
  const Random random(11);
  for (uint64_t i = 0; i < lines; ++i) {
    const std::string line = varied_line(random.stream(i));
    std::vector<int> ids;
    std::vector<std::string> pieces;
    std::vector<size_t> begins;
    // The library gives up where a word is the name of a control symbol. Ours takes it for an unknown word.
    if (!library.Encode(line, &ids).ok()) {
      ASSERT_EQ(ours->kind(), VocabularyKind::word);
      ASSERT_EQ(ours->encode(line)[0], ours->unk());
      continue;
    }
    ASSERT_TRUE(library.Encode(line, &pieces).ok());
    const auto split = library.EncodeAsImmutableProto(line);
    for (const auto& piece : split.pieces()) begins.push_back(piece.begin());
    const std::string shown = fmt::format("{}: '{}'", what, line);
    ASSERT_EQ(ours->encode(line), ids) << shown;
    ASSERT_EQ(ours->pieces(line), pieces) << shown;
    ASSERT_EQ(ours->begins(line), begins) << shown;
    std::string text, joined;
    ASSERT_TRUE(library.Decode(pieces, &joined).ok());
    ASSERT_EQ(ours->join(pieces), joined) << shown;
    if (i % 2 == 1)  // also what no text splits into
      for (int& id : ids)
        id = static_cast<int>(
            random.stream(i).below(static_cast<uint64_t>(ours->size()), static_cast<uint64_t>(id)));
    ASSERT_TRUE(library.Decode(ids, &text).ok());
    ASSERT_EQ(ours->decode(ids), text) << shown;
  }
}

TEST(SentencePieceVocabulary, does_as_the_library_for_every_kind_and_rule) {
  const std::vector<Options> rules = {
      {},
      {{"byte_fallback", "true"}, {"vocab_size", "600"}},
      {{"normalization_rule_name", "identity"}, {"remove_extra_whitespaces", "false"}},
      {{"normalization_rule_name", "nmt_nfkc_cf"}, {"add_dummy_prefix", "false"}},
      {{"add_dummy_prefix", "false"}, {"remove_extra_whitespaces", "false"}},
      {{"treat_whitespace_as_suffix", "true"}},
      {{"user_defined_symbols", "[MASK],<user>,<users>,▁the"}, {"unk_surface", "?"}},
      {{"user_defined_symbols", "[MASK],<user>"},
       {"byte_fallback", "true"},
       {"vocab_size", "600"},
       {"control_symbols", "<pad>,<x>"}}};
  for (const std::string kind : {"unigram", "bpe", "word", "char"})
    for (size_t i = 0; i < rules.size(); ++i) {
      Options options = rules[i];
      options["model_type"] = kind;
      expect_the_same(trained(options), 300, fmt::format("{} {}", kind, i));
    }
}

TEST(SentencePieceVocabulary, never_splits_into_unused_pieces) {
  for (const char* kind : {"unigram", "bpe"}) {
    const std::string model = trained({{"model_type", kind}});
    auto pieces = read_sentencepiece_model(model, "test").pieces;
    for (size_t i = 3; i < pieces.size(); i += 3)
      if (pieces[i].text.size() > 1) pieces[i].type = PieceType::unused;
    expect_the_same(with_pieces(model, pieces), 2000, kind);
  }
}

TEST(SentencePieceVocabulary, models_that_contradict_themselves_are_refused) {
  const auto refused = [](std::vector<SentencePiece> pieces) -> std::string {
    try {
      parse_sentencepiece_vocabulary(sentencepiece_model(pieces, VocabularyKind::unigram), "test");
    } catch (const UsageError& error) {
      return error.what();
    }
    return "accepted";
  };
  const SentencePiece unk{"<unk>", 0, PieceType::unknown}, end{"</s>", 0, PieceType::control},
      a{"a", -1, PieceType::normal};
  EXPECT_EQ(refused({unk, end, a}), "accepted");
  EXPECT_EQ(refused({unk, end, a, a}), "test: the piece 'a' stands there twice");
  EXPECT_EQ(refused({end, a}), "test: 0 pieces stand for what is unknown, but there must be one");
  EXPECT_EQ(refused({unk, a}), "test: the model has no symbol </s>, which must end every sentence");
  EXPECT_EQ(refused({unk, end, {"<0x4G>", 0, PieceType::byte}}),
            "test: the piece '<0x4G>' should name a byte, such as <0xE4>");
  EXPECT_EQ(refused({unk, end, {"<0x4A>", 0, PieceType::byte}}),
            "test: there are pieces for 1 bytes, but there must be 256");
}

}  // namespace
}  // namespace attune
