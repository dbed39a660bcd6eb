#include "convert/huggingface/vocabulary.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "attune/error.h"
#include "io/files/file.h"
#include "text/utf8.h"

namespace attune::huggingface {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* kPieces = "tokenizer.model";  // of SentencePiece

Json json_file(const fs::path& path) { return parse_json(read_file(path), path.string()); }

std::vector<std::string> lines_of(const fs::path& path) {
  const std::string content = read_file(path);
  if (const auto bad = find_invalid_utf8(content))
    throw UsageError(fmt::format("{}: byte {} is not UTF-8", path.string(), *bad + 1));
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < content.size();) {
    const size_t end = std::min(content.find('\n', begin), content.size());
    lines.push_back(content.substr(begin, end - begin));
    if (lines.back().ends_with('\r')) lines.back().pop_back();
    begin = end + 1;
  }
  return lines;
}

Json added(const std::string& text, int64_t id) {
  return {{"id", id},        {"content", text},     {"single_word", false}, {"lstrip", false},
          {"rstrip", false}, {"normalized", false}, {"special", true}};
}

// What tokenizer_config.json says; without fields if there is none.
Json tokenizer_config(const fs::path& folder) {
  const fs::path path = folder / "tokenizer_config.json";
  return fs::exists(path) ? json_file(path) : Json::object();
}

// GPT-2's older files. The tokens of `specials`, if the list has them, are added tokens.
Json bpe_of_lists(const fs::path& folder) {
  const fs::path list = folder / "vocab.json";
  const Json vocabulary = json_file(list), settings = tokenizer_config(folder);
  const JsonFields about(settings, (folder / "tokenizer_config.json").string());
  if (!vocabulary.is_object())
    throw UsageError(fmt::format("{}: this should be an object of tokens with their ids", list.string()));
  Json merges = Json::array();
  for (const std::string& line : lines_of(folder / "merges.txt"))
    if (!line.empty() && !line.starts_with("#version")) merges.push_back(line);
  Json tokens = Json::array();
  for (const char* special : {"<|endoftext|>", "<s>", "</s>", "<pad>", "<unk>", "<mask>"})
    if (const auto id = vocabulary.find(special); id != vocabulary.end() && id->is_number_integer())
      tokens.push_back(added(special, id->get<int64_t>()));
  if (const fs::path more = folder / "added_tokens.json"; fs::exists(more)) {
    const Json extra = json_file(more);
    const JsonFields fields(extra, more.string());
    for (const auto& [text, id] : extra.items()) tokens.push_back(added(text, fields.number(text)));
  }
  return {{"added_tokens", std::move(tokens)},
          {"pre_tokenizer",
           {{"type", "ByteLevel"},
            {"add_prefix_space", about.flag("add_prefix_space", false)},
            {"use_regex", true}}},
          {"model", {{"type", "BPE"}, {"vocab", vocabulary}, {"merges", std::move(merges)}}}};
}

Json wordpiece_of_list(const fs::path& folder) {
  Json vocabulary = Json::object(), tokens = Json::array();
  int64_t id = 0;
  for (const std::string& line : lines_of(folder / "vocab.txt")) vocabulary[line] = id++;
  for (const char* special : {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"})
    if (vocabulary.contains(special)) tokens.push_back(added(special, vocabulary[special].get<int64_t>()));
  const Json settings = tokenizer_config(folder);
  const JsonFields about(settings, (folder / "tokenizer_config.json").string());
  const bool lowercase = about.flag("do_lower_case", true);
  return {{"added_tokens", std::move(tokens)},
          {"normalizer",
           {{"type", "BertNormalizer"},
            {"clean_text", true},
            {"handle_chinese_chars", about.flag("tokenize_chinese_chars", true)},
            {"strip_accents", about.flag("strip_accents", lowercase)},
            {"lowercase", lowercase}}},
          {"pre_tokenizer", {{"type", "BertPreTokenizer"}}},
          {"decoder", {{"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", true}}},
          {"model",
           {{"type", "WordPiece"},
            {"unk_token", "[UNK]"},
            {"continuing_subword_prefix", "##"},
            {"max_input_chars_per_word", 100},
            {"vocab", std::move(vocabulary)}}}};
}

std::optional<std::string> token_of(const Json& tokenizer, int64_t id) {
  const JsonFields file(tokenizer, "tokenizer.json");
  for (const JsonFields& token : file.objects("added_tokens"))
    if (token.number("id") == id) return token.text("content", "");
  const Json* vocabulary = file.object("model").find("vocab");
  if (vocabulary != nullptr && vocabulary->is_object())
    for (const auto& [text, number] : vocabulary->items())
      if (number == id) return text;
  return {};
}

// The first, where a list says that several tokens end a text.
std::optional<int64_t> id_in(const JsonFields& config, const char* key) {
  const Json* value = config.find(key);
  if (value != nullptr && value->is_array() && !value->empty()) value = &(*value)[0];
  if (value == nullptr) return {};
  if (!value->is_number_integer() || *value < 0) config.refuse(key, "it should be the number of a token");
  return value->get<int64_t>();
}

std::shared_ptr<const Vocabulary> finished(Json tokenizer, int64_t rows, const std::string& name) {
  std::shared_ptr<const Vocabulary> read = parse_vocabulary(tokenizer.dump(), name);
  if (read->size() > rows)
    throw UsageError(
        fmt::format("{}: the tokenizer has {} tokens, but the model has {}", name, read->size(), rows));
  if (read->size() == rows) return read;
  tokenizer["attune"]["size"] = rows;
  return parse_vocabulary(tokenizer.dump(), name);
}

std::shared_ptr<const Vocabulary> sentencepiece(const fs::path& path, int64_t rows) {
  std::shared_ptr<const Vocabulary> read = load_vocabulary(path.string());
  if (read->size() != rows)
    throw UsageError(fmt::format("{}: the vocabulary has {} pieces, but the model has {} tokens",
                                 path.string(), read->size(), rows));
  return read;
}

}  // namespace

std::shared_ptr<const Vocabulary> read_byte_bpe(const fs::path& folder, const JsonFields& config,
                                                int64_t rows) {
  fs::path name = folder / "tokenizer.json";
  if (fs::exists(folder / kPieces)) return sentencepiece(folder / kPieces, rows);
  Json tokenizer;
  if (fs::exists(name)) {
    tokenizer = json_file(name);
  } else if (fs::exists(folder / "vocab.json") && fs::exists(folder / "merges.txt")) {
    name = folder / "vocab.json";
    tokenizer = bpe_of_lists(folder);
  } else {
    throw UsageError(
        fmt::format("{}: there is no tokenizer.json, no vocab.json with merges.txt and no "
                    "tokenizer.model",
                    folder.string()));
  }
  for (const auto& [key, role] : {std::pair{"bos_token_id", "bos"}, {"eos_token_id", "eos"}})
    if (const auto id = id_in(config, key))
      if (const auto text = token_of(tokenizer, *id)) tokenizer["attune"][role] = *text;
  return finished(std::move(tokenizer), rows, name.string());
}

std::shared_ptr<const Vocabulary> read_wordpiece(const fs::path& folder, int64_t rows) {
  if (fs::exists(folder / kPieces)) return sentencepiece(folder / kPieces, rows);
  const fs::path whole = folder / "tokenizer.json", list = folder / "vocab.txt";
  if (!fs::exists(whole) && !fs::exists(list))
    throw UsageError(fmt::format("{}: there is neither tokenizer.json nor vocab.txt", folder.string()));
  const bool json = fs::exists(whole);
  Json tokenizer = json ? json_file(whole) : wordpiece_of_list(folder);
  tokenizer["attune"] = {{"bos", "[CLS]"}, {"eos", "[SEP]"}};
  return finished(std::move(tokenizer), rows, (json ? whole : list).string());
}

}  // namespace attune::huggingface
