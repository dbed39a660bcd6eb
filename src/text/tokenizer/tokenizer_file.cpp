#include "text/tokenizer/tokenizer_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "attune/error.h"
#include "text/tokenizer/json_fields.h"

namespace attune {
namespace {

using Json = nlohmann::json;

constexpr int64_t kMostTokens = 10'000'000;

std::string type_of(const JsonFields& part) { return part.text("type", ""); }

bool is_off(const Json& value) {
  return value.is_string() ? value.get_ref<const std::string&>().empty() : value == 0.0;
}

class FileReader {
 public:
  explicit FileReader(const JsonFields& file) : file_(file), model_(file.object("model")) {}

  TokenizerFile read() {
    const std::string type = model_type();
    result_.model = type == "BPE" ? TokenizerFile::Model::byte_bpe : TokenizerFile::Model::wordpiece;
    read_tokens();
    read_added();
    if (result_.model == TokenizerFile::Model::byte_bpe)
      read_bpe();
    else
      read_wordpiece();
    read_ends();
    return std::move(result_);
  }

 private:
  // Old files do not name the type of BPE.
  std::string model_type() const {
    const std::string type = model_.text("type", model_.has("merges") ? "BPE" : "");
    if (type != "BPE" && type != "WordPiece")
      model_.refuse("type", fmt::format("attune reads BPE and WordPiece, not '{}'", type));
    return type;
  }

  void put(const std::string& text, const Json& number, const JsonFields& where) {
    if (!number.is_number_integer() || number < 0 || number >= kMostTokens)
      where.refuse("vocab",
                   fmt::format("the id of '{}' should be a whole number below {}", text, kMostTokens));
    const auto id = number.get<size_t>();
    if (const auto [known, fresh] = ids_.emplace(text, id); !fresh && known->second != id)
      where.refuse("vocab", fmt::format("'{}' has two ids, {} and {}", text, known->second, id));
    if (id >= result_.tokens.size()) {
      if (id > 4 * (count_ + 1000))  // ids without gaps to speak of: a few bytes claim no memory
        where.refuse("vocab", fmt::format("the id {} of '{}' is too large for {} tokens", id, text, count_));
      result_.tokens.resize(id + 1);
    }
    std::string& place = result_.tokens[id];
    if (!place.empty() && place != text)
      where.refuse("vocab", fmt::format("'{}' and '{}' have the same id, {}", place, text, id));
    place = text;
  }

  void read_tokens() {
    const Json& vocabulary = model_.required("vocab");
    if (!vocabulary.is_object()) model_.refuse("vocab", "it should be an object of tokens with their ids");
    count_ = vocabulary.size();
    if (const Json* added = file_.find("added_tokens"); added != nullptr) count_ += added->size();
    for (const auto& [text, id] : vocabulary.items()) put(text, id, model_);
  }

  void read_added() {
    for (const JsonFields& token : file_.objects("added_tokens")) {
      const std::string text = token.text("content", "");
      put(text, token.required("id"), token);
      result_.added.push_back({.text = text,
                               .id = static_cast<int32_t>(token.number("id")),
                               .normalized = token.flag("normalized", false),
                               .left = token.flag("lstrip", false),
                               .right = token.flag("rstrip", false),
                               .alone = token.flag("single_word", false)});
    }
    const auto there = static_cast<int64_t>(result_.tokens.size());
    const int64_t size = file_.object("attune").number("size", there);
    if (size < there || size > 2 * there + 100'000)
      file_.refuse("attune", fmt::format("size: the tokenizer has {} tokens, not {}", there, size));
    result_.tokens.resize(static_cast<size_t>(size));
    for (size_t i = 0; i < result_.tokens.size(); ++i)
      if (result_.tokens[i].empty()) result_.tokens[i] = fmt::format("<unused{}>", i);
  }

  // ---- BPE

  void read_bpe() {
    for (const char* key : {"dropout", "continuing_subword_prefix", "end_of_word_suffix"})
      if (const Json* value = model_.find(key); value != nullptr && !is_off(*value))
        model_.refuse(key, "attune's byte-level BPE does not have it");
    if (model_.flag("byte_fallback", false))
      model_.refuse("byte_fallback",
                    "this is SentencePiece's BPE; attune reads its model file (tokenizer.model) instead");
    result_.bpe.whole_words = model_.flag("ignore_merges", false);
    read_merges();
    read_bpe_normalizer();
    read_bpe_words();
  }

  void read_merges() {
    const Json& merges = model_.required("merges");
    if (!merges.is_array()) model_.refuse("merges", "it should be a list");
    for (const Json& merge : merges) {
      auto& all = result_.bpe.merges;
      if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
        all.emplace_back(merge[0].get<std::string>(), merge[1].get<std::string>());
        continue;
      }
      const std::string text = merge.is_string() ? merge.get<std::string>() : "";
      const size_t blank = text.find(' ');
      if (blank == 0 || blank == std::string::npos || text.find(' ', blank + 1) != std::string::npos)
        model_.refuse("merges", fmt::format("number {} should be two tokens", all.size() + 1));
      all.emplace_back(text.substr(0, blank), text.substr(blank + 1));
    }
  }

  void read_bpe_normalizer() {
    if (!file_.has("normalizer")) return;
    const JsonFields normalizer = file_.object("normalizer");
    const std::string type = type_of(normalizer);
    if (type == "Sequence" && normalizer.objects("normalizers").empty()) return;
    if (type != "NFC") normalizer.refuse("type", fmt::format("attune's BPE has NFC or none, not '{}'", type));
    result_.bpe.compose = true;
  }

  void read_bpe_words() {
    const JsonFields splitter = file_.object("pre_tokenizer");
    const std::vector<JsonFields> steps =
        type_of(splitter) == "Sequence" ? splitter.objects("pretokenizers") : std::vector{splitter};
    for (size_t i = 0; i < steps.size(); ++i) read_step(steps[i], i + 1 == steps.size());
    if (!byte_level_)
      splitter.refuse("type", "attune reads BPE of bytes (ByteLevel), as in GPT-2 and Llama 3");
  }

  void read_step(const JsonFields& step, bool last) {
    const std::string type = type_of(step);
    auto& bpe = result_.bpe;
    if (type == "Digits" && !bpe.words && !bpe.digits) {
      bpe.digits = step.flag("individual_digits", false);
    } else if (type == "Split" && !bpe.words) {
      const std::string expression = step.object("pattern").text("Regex", "");
      bpe.words = known_expression(expression);
      if (!bpe.words)
        step.refuse("pattern", fmt::format("attune does not know the expression {}", expression));
      if (step.text("behavior", "") != "Isolated" || step.flag("invert", false))
        step.refuse("behavior", "attune keeps what the expression finds (Isolated)");
    } else if (type == "ByteLevel" && last) {
      byte_level_ = true;
      bpe.space_first = step.flag("add_prefix_space", true);
      if (bpe.space_first && (bpe.words || bpe.digits))
        step.refuse("add_prefix_space", "attune adds no space to parts of a text");
      if (step.flag("use_regex", true)) {
        if (bpe.words) step.refuse("use_regex", "attune splits text by one expression only");
        bpe.words = WordExpression{};
      }
    } else {
      step.refuse("type", fmt::format("attune's BPE does not have '{}' here", type));
    }
  }

  // ---- WordPiece

  void read_wordpiece() {
    auto& piece = result_.wordpiece;
    piece.prefix = model_.text("continuing_subword_prefix", "##");
    piece.longest_word = model_.number("max_input_chars_per_word", 100);
    const auto unk = ids_.find(model_.text("unk_token", "[UNK]"));
    if (unk == ids_.end()) model_.refuse("unk_token", "the vocabulary does not have it");
    piece.unk = static_cast<int32_t>(unk->second);
    const JsonFields normalizer = file_.object("normalizer"), splitter = file_.object("pre_tokenizer");
    if (file_.has("normalizer") && type_of(normalizer) != "BertNormalizer")
      normalizer.refuse("type",
                        fmt::format("attune's WordPiece has BertNormalizer, not '{}'", type_of(normalizer)));
    if (type_of(splitter) != "BertPreTokenizer")
      splitter.refuse("type",
                      fmt::format("attune's WordPiece has BertPreTokenizer, not '{}'", type_of(splitter)));
    const bool none = !file_.has("normalizer");
    piece.text.lowercase = normalizer.flag("lowercase", !none);
    piece.text.clean = normalizer.flag("clean_text", !none);
    piece.text.chinese = normalizer.flag("handle_chinese_chars", !none);
    piece.text.strip_accents = normalizer.flag("strip_accents", piece.text.lowercase);
  }

  // ---- The tokens that begin and end a text: named, or by their usual names.

  std::optional<int32_t> known(std::initializer_list<std::string_view> names) const {
    for (const std::string_view name : names)
      if (const auto found = ids_.find(std::string(name)); found != ids_.end())
        return static_cast<int32_t>(found->second);
    return {};
  }

  std::optional<int32_t> named(const char* key) const {
    const JsonFields ours = file_.object("attune");
    if (!ours.has(key)) return {};
    const auto found = known({ours.text(key, "")});
    if (!found) ours.refuse(key, "the vocabulary does not have this token");
    return found;
  }

  void read_ends() {
    auto eos = named("eos"), bos = named("bos");
    if (!eos) eos = known({"<|endoftext|>", "<|end_of_text|>", "</s>", "[SEP]"});
    if (!bos) bos = known({"<|begin_of_text|>", "<s>", "[CLS]"});
    if (!eos)
      file_.refuse("added_tokens", "there is no token that ends a text, such as <|endoftext|> or </s>");
    result_.eos = *eos;
    result_.bos = bos.value_or(*eos);
  }

  JsonFields file_, model_;
  TokenizerFile result_;
  std::unordered_map<std::string, size_t> ids_;
  size_t count_ = 0;  // of tokens in the file
  bool byte_level_ = false;
};

}  // namespace

bool is_tokenizer_file(std::string_view content) {
  const size_t first = content.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && content[first] == '{';
}

TokenizerFile parse_tokenizer_file(std::string_view content, const std::string& name) {
  const Json file = parse_json(content, name);
  return FileReader(JsonFields(file, name)).read();
}

}  // namespace attune
