// A vocabulary as Hugging Face's tokenizer.json.
#include <fmt/core.h>

#include "config/rules.h"
#include "convert/huggingface/writer.h"
#include "io/files/file.h"
#include "text/sentencepiece/writer.h"

namespace attune::huggingface {
namespace {

using Json = nlohmann::json;

Json added(const std::string& text, int32_t id, bool special) {
  return {{"id", id},        {"content", text},     {"single_word", false}, {"lstrip", false},
          {"rstrip", false}, {"normalized", false}, {"special", special}};
}

Json base(const Json& added_tokens) {
  return {{"version", "1.0"},      {"truncation", nullptr},
          {"padding", nullptr},    {"added_tokens", added_tokens},
          {"normalizer", nullptr}, {"post_processor", nullptr}};
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t bits = 0;
    for (size_t k = 0; k < 3; ++k)
      bits = bits << 8U | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (size_t k = 0; k < 4; ++k)
      text += i + k > bytes.size() ? '=' : kLetters[(bits >> (18 - 6 * k)) & 63U];
  }
  return text;
}

// What SentencePiece does to the text, in the tokenizers' terms.
Json normalizer_of(const PieceRules& rules) {
  Json steps = Json::array();
  if (!rules.characters.empty())
    steps.push_back({{"type", "Precompiled"}, {"precompiled_charsmap", base64(rules.characters)}});
  if (rules.single_blanks) {
    steps.push_back({{"type", "Strip"}, {"strip_left", true}, {"strip_right", true}});
    steps.push_back({{"type", "Replace"}, {"pattern", {{"Regex", " {2,}"}}}, {"content", " "}});
  }
  return {{"type", "Sequence"}, {"normalizers", steps}};
}

Json unigram(const Vocabulary& words) {
  const SentencePieceModel model = read_sentencepiece_model(words.serialized(), "the vocabulary");
  Json vocabulary = Json::array(), tokens = Json::array();
  bool bytes = false;
  int32_t id = 0;
  for (const auto& [text, score, type] : model.pieces) {
    vocabulary.push_back({text, score});
    if (type == PieceType::user || type == PieceType::control || type == PieceType::unknown)
      tokens.push_back(added(text, id, type != PieceType::user));
    bytes = bytes || type == PieceType::byte;
    ++id;
  }
  const PieceRules& rules = model.before;
  Json file = base(tokens);
  const Json space{{"type", "Metaspace"},
                   {"replacement", "▁"},
                   {"prepend_scheme", rules.blank_first ? "always" : "never"},
                   {"split", true}};
  file["normalizer"] = normalizer_of(rules);
  file["pre_tokenizer"] = space;
  file["decoder"] = space;
  if (bytes)
    file["decoder"] = {{"type", "Sequence"},
                       {"decoders", Json::array({{{"type", "ByteFallback"}}, {{"type", "Fuse"}}, space})}};
  file["model"] = {
      {"type", "Unigram"}, {"unk_id", words.unk()}, {"vocab", vocabulary}, {"byte_fallback", bytes}};
  return file;
}

Json word_level(const Vocabulary& words) {
  Json vocabulary = Json::object(), tokens = Json::array();
  for (int32_t id = 0; id < words.size(); ++id) vocabulary[words.piece(id)] = id;
  for (const int32_t id : {words.unk(), words.bos(), words.eos()})
    tokens.push_back(added(words.piece(id), id, true));
  for (const char* symbol : {"[CLS]", "[SEP]", "[MASK]"})
    if (const auto id = words.id(symbol)) tokens.push_back(added(symbol, *id, true));
  Json file = base(tokens);
  file["pre_tokenizer"] = {{"type", "WhitespaceSplit"}};
  file["decoder"] = nullptr;
  file["model"] = {{"type", "WordLevel"}, {"vocab", vocabulary}, {"unk_token", words.piece(words.unk())}};
  return file;
}

Json tokenizer_of(const Vocabulary& words) {
  if (std::string_view(words.file_ending()) == ".json") {
    Json file = Json::parse(words.serialized());
    file.erase("attune");
    return file;
  }
  if (words.kind() == VocabularyKind::unigram) return unigram(words);
  require(words.kind() == VocabularyKind::word, "vocab_kind",
          "attune writes tokenizers of unigram and word vocabularies and those that it read, not of '{}'",
          attune::name_of(words.kind()));
  return word_level(words);
}

// [CLS] a [SEP] b [SEP]
Json bert_template(const Vocabulary& words) {
  const auto token = [](const char* name, int type) {
    return Json{{"SpecialToken", {{"id", name}, {"type_id", type}}}};
  };
  const auto text = [](const char* name, int type) {
    return Json{{"Sequence", {{"id", name}, {"type_id", type}}}};
  };
  Json special = Json::object();
  for (const char* name : {"[CLS]", "[SEP]"})
    special[name] = {{"id", name}, {"ids", {words.required(name)}}, {"tokens", {name}}};
  return {{"type", "TemplateProcessing"},
          {"single", Json::array({token("[CLS]", 0), text("A", 0), token("[SEP]", 0)})},
          {"pair", Json::array({token("[CLS]", 0), text("A", 0), token("[SEP]", 0), text("B", 1),
                                token("[SEP]", 1)})},
          {"special_tokens", special}};
}

}  // namespace

void write_tokenizer(const std::filesystem::path& folder, const Vocabulary& words, int64_t longest,
                     const Json& roles) {
  Json file = tokenizer_of(words);
  if (roles.contains("cls_token") && (!file.contains("post_processor") || file["post_processor"].is_null()))
    file["post_processor"] = bert_template(words);
  Json about{{"tokenizer_class", "PreTrainedTokenizerFast"}, {"model_max_length", longest},
             {"clean_up_tokenization_spaces", false},        {"bos_token", words.piece(words.bos())},
             {"eos_token", words.piece(words.eos())},        {"unk_token", words.piece(words.unk())}};
  if (words.is_byte(words.unk())) about.erase("unk_token");  // nothing is unknown
  if (roles.is_object()) about.update(roles);
  write_file_atomically(folder / "tokenizer.json", file.dump() + "\n");
  if (std::string_view(words.file_ending()) == ".spm")
    write_file_atomically(folder / "tokenizer.model", words.serialized());
  write_file_atomically(folder / "tokenizer_config.json", about.dump(2) + "\n");
}

}  // namespace attune::huggingface
