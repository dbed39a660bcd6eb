#include "convert/marian/word_list.h"

#include <fmt/core.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <set>

#include "attune/error.h"
#include "io/files/file.h"
#include "text/tokenizer/json_fields.h"
#include "text/utf8.h"

namespace attune::marian {
namespace {

namespace fs = std::filesystem;

struct Numbered {
  std::string word;
  int64_t id;
};

[[noreturn]] void refuse(const fs::path& path, const std::string& why) {
  throw UsageError(fmt::format("{}: {}", path.string(), why));
}

// A plain ~ or null is a word here.
std::string word_of(const YAML::Node& key, const std::string& content) {
  if (key.IsScalar()) return key.Scalar();
  const auto at = static_cast<size_t>(std::max(0, key.Mark().pos));
  return content.substr(std::min(at, content.size()), 1) == "~" ? "~" : "null";
}

std::vector<Numbered> parse_map(const std::string& content, const fs::path& path) {
  std::vector<Numbered> words;
  try {
    const YAML::Node root = YAML::Load(content);
    if (!root.IsMap()) refuse(path, "this should be a list of words with their ids (word: id)");
    for (const auto& pair : root) {
      const std::string word = word_of(pair.first, content);
      int64_t id = 0;
      const std::string& text = pair.second.IsScalar() ? pair.second.Scalar() : "";
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
      if (error != std::errc() || end != text.data() + text.size() || id < 0)
        refuse(path, fmt::format("the id of '{}' should be a number, not '{}'", word, text));
      words.push_back({word, id});
    }
  } catch (const YAML::Exception& error) {
    refuse(path, fmt::format("line {}: this is not YAML: {}", error.mark.line + 1, error.msg));
  }
  return words;
}

std::vector<Numbered> parse_lines(const std::string& content) {
  std::vector<Numbered> words;
  for (size_t begin = 0; begin < content.size();) {
    const size_t end = std::min(content.find('\n', begin), content.size());
    std::string word = content.substr(begin, end - begin);
    if (word.ends_with('\r')) word.pop_back();
    words.push_back({std::move(word), static_cast<int64_t>(words.size())});
    begin = end + 1;
  }
  return words;
}

// JSON is almost YAML, but writes some characters as two escapes.
std::vector<Numbered> parse_json_map(const std::string& content, const fs::path& path) {
  std::vector<Numbered> words;
  const nlohmann::json root = parse_json(content, path.string());
  const JsonFields list(root, path.string());
  for (const auto& [word, id] : root.items()) words.push_back({word, list.number(word)});
  return words;
}

bool is_map(const fs::path& path) {
  const fs::path ending = path.extension();
  return ending == ".yml" || ending == ".yaml" || ending == ".json";
}

}  // namespace

WordList read_word_list(const fs::path& path, int64_t size) {
  const std::string content = read_file(path);
  if (const auto bad = find_invalid_utf8(content))
    refuse(path, fmt::format("byte {} is not UTF-8", *bad + 1));
  const std::vector<Numbered> numbered = path.extension() == ".json" ? parse_json_map(content, path)
                                         : is_map(path)              ? parse_map(content, path)
                                                                     : parse_lines(content);
  WordList list{std::vector<std::string>(static_cast<size_t>(size)), -1, -1};
  std::set<std::string_view> seen;
  for (const auto& [word, id] : numbered) {
    if (id >= size) continue;
    std::string& place = list.words[static_cast<size_t>(id)];
    if (!place.empty()) refuse(path, fmt::format("'{}' and '{}' have the same id, {}", place, word, id));
    if (!seen.insert(word).second) refuse(path, fmt::format("'{}' is in the list twice", word));
    place = word;
    if (word == "</s>") list.end = id;
    if (word == "<unk>") list.unknown = id;
  }
  // Lists of Nematus call them `eos` and `UNK`, or leave their places empty.
  const auto special = [&](int64_t& id, int64_t place, std::string_view old, std::string_view now) {
    if (is_map(path) && place < size) {
      const std::string& there = list.words[static_cast<size_t>(place)];
      if (there.empty() || there == old) id = place;
    }
    if (id < 0) refuse(path, fmt::format("the list has no '{}', which Marian's vocabularies need", now));
    list.words[static_cast<size_t>(id)] = now;
  };
  special(list.end, 0, "eos", "</s>");
  special(list.unknown, 1, "UNK", "<unk>");
  for (size_t i = 0; i < list.words.size(); ++i)
    if (list.words[i].empty()) list.words[i] = fmt::format("<unused{}>", i);
  return list;
}

}  // namespace attune::marian
