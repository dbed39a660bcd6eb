#include "convert/ctranslate2/vocabulary.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "attune/error.h"
#include "io/files/file.h"
#include "text/utf8.h"
#include "text/vocabulary/listed_vocabulary.h"

namespace attune {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> parse_json_list(const std::string& content, const fs::path& file) {
  try {
    return nlohmann::json::parse(content).get<std::vector<std::string>>();
  } catch (const nlohmann::json::exception& error) {
    throw UsageError(fmt::format("{}: this should be a list of tokens: {}", file.string(), error.what()));
  }
}

std::vector<std::string> parse_lines(const std::string& content) {
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < content.size();) {
    const size_t end = std::min(content.find('\n', begin), content.size());
    lines.push_back(content.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

std::vector<std::string> read_tokens(const fs::path& folder, const std::string& side) {
  for (const std::string& name : {std::string("shared"), side}) {
    if (const fs::path file = folder / (name + "_vocabulary.json"); fs::exists(file))
      return parse_json_list(read_file(file), file);
    if (const fs::path file = folder / (name + "_vocabulary.txt"); fs::exists(file))
      return parse_lines(read_file(file));
  }
  throw UsageError(fmt::format("{}: there is no {}_vocabulary and no shared_vocabulary, .json or .txt",
                               folder.string(), side));
}

bool is_symbol(const std::string& token) {  // "<blank>"
  return token.size() > 2 && token.front() == '<' && token.back() == '>';
}

// Characters if all tokens are single characters, except symbols like <blank>; otherwise words.
VocabularyKind kind_of(const std::vector<std::string>& tokens) {
  const bool characters = std::ranges::all_of(
      tokens, [](const std::string& t) { return is_symbol(t) || count_code_points(t) == 1; });
  return characters ? VocabularyKind::character : VocabularyKind::word;
}

std::shared_ptr<const Vocabulary> listed(const std::vector<std::string>& tokens,
                                         const SpecialTokens& special) {
  std::vector<ListedToken> others;
  for (const std::string& token : tokens)
    if (token != special.unk && token != special.bos && token != special.eos)
      others.push_back({token, 0, false});
  return std::make_shared<ListedVocabulary>(kind_of(tokens), std::move(others));
}

}  // namespace

bool has_shared_vocabulary(const fs::path& folder) {
  return fs::exists(folder / "shared_vocabulary.json") || fs::exists(folder / "shared_vocabulary.txt");
}

int64_t ImportedVocabulary::row_of(const std::string& token) const {
  const auto found = std::ranges::find(tokens, token);
  return found == tokens.end() ? -1 : found - tokens.begin();
}

Tensor ImportedVocabulary::reordered(const Tensor& table, float missing) const {
  const bool list = table.shape().rank() == 1;
  const int64_t d = list ? 1 : table.columns(), count = table.size() / std::max<int64_t>(1, d);
  if (count != static_cast<int64_t>(tokens.size()))
    throw UsageError(
        fmt::format("the vocabulary has {} tokens, but the table has {} rows", tokens.size(), count));
  const auto n = static_cast<int64_t>(rows.size());
  Tensor ordered = list ? Tensor({n}) : Tensor({n, d});
  for (int64_t i = 0; i < n; ++i) {
    float* to = ordered.data<float>() + i * d;
    if (const int64_t row = rows[static_cast<size_t>(i)]; row >= 0)
      std::copy_n(table.data<float>() + row * d, d, to);
    else
      std::fill_n(to, d, missing);
  }
  return ordered;
}

ImportedVocabulary read_vocabulary(const fs::path& folder, const std::string& side,
                                   const SpecialTokens& special) {
  ImportedVocabulary read;
  read.tokens = read_tokens(folder, side);
  for (const std::string& token : read.tokens)
    if (find_invalid_utf8(token))
      throw UsageError(
          fmt::format("{}: the {} vocabulary has a token that is not UTF-8", folder.string(), side));
  if (read.row_of(special.unk) < 0) read.tokens.push_back(special.unk);  // as CTranslate2 does
  const fs::path model = folder / (side + ".spm");
  read.vocabulary = fs::exists(model) ? load_vocabulary(model.string()) : listed(read.tokens, special);
  std::unordered_map<std::string, int64_t> row;
  for (size_t i = 0; i < read.tokens.size(); ++i) row.emplace(read.tokens[i], static_cast<int64_t>(i));
  for (int32_t i = 0; i < read.vocabulary->size(); ++i) {
    std::string piece = read.vocabulary->piece(i);
    if (i == read.vocabulary->unk()) piece = special.unk;
    if (i == read.vocabulary->bos()) piece = special.bos;
    if (i == read.vocabulary->eos()) piece = special.eos;
    const auto found = row.find(piece);
    read.rows.push_back(found == row.end() ? -1 : found->second);
  }
  return read;
}

}  // namespace attune
