#include "convert/marian/vocabulary.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "attune/error.h"
#include "convert/marian/word_list.h"
#include "io/files/file.h"
#include "text/sentencepiece/writer.h"
#include "text/vocabulary/listed_vocabulary.h"

namespace attune::marian {
namespace {

namespace fs = std::filesystem;
using Pieces = std::unordered_map<std::string, SentencePiece>;

constexpr float kNever = -1e9f;  // the bias of a token that Marian does not have
constexpr std::string_view kBlank = "▁";

// A SentencePiece model alone: the ids are its own.
MarianVocabulary pieces_alone(const fs::path& path, int64_t size) {
  MarianVocabulary read{load_vocabulary(path.string()), {}, 0};
  if (read.words->size() != size)
    throw UsageError(
        fmt::format("{}: the vocabulary has {} pieces, but the model has {}; name its own with --vocabs",
                    path.string(), read.words->size(), size));
  for (int64_t i = 0; i < size; ++i) read.rows.push_back(i);
  read.unknown = read.words->unk();
  return read;
}

// Words that are separated by blanks: attune's list begins with <unk>, <s> and </s>, so the rows move.
MarianVocabulary words_alone(const WordList& list) {
  std::vector<ListedToken> others;
  MarianVocabulary read{nullptr, {list.unknown, -1, list.end}, list.unknown};
  for (size_t i = 0; i < list.words.size(); ++i) {
    const auto row = static_cast<int64_t>(i);
    if (row == list.unknown || row == list.end) continue;
    if (list.words[i] == "<s>") {
      read.rows[1] = row;
      continue;
    }
    others.push_back({list.words[i], 0, false});
    read.rows.push_back(row);
  }
  read.words = std::make_shared<ListedVocabulary>(VocabularyKind::word, std::move(others), WordEnds::blanks);
  return read;
}

// A target language as in ">>deu<<", which stands before the text.
bool is_language(const std::string& word) { return word.starts_with(">>") && word.ends_with("<<"); }

Pieces splitting_pieces(const SentencePieceModel& model) {
  Pieces found;
  for (const SentencePiece& piece : model.pieces)
    if (piece.type != PieceType::control && piece.type != PieceType::unknown &&
        piece.type != PieceType::unused)
      found.emplace(piece.text, piece);
  return found;
}

// The SentencePiece model of a side with the ids of the list: its own pieces split text, all others are only
// read when text is put together. Pieces that are not in the list (`more`) follow; they mean <unk>.
MarianVocabulary pieces_with_ids(const std::string& model, const Pieces& own, const WordList& list,
                                 const std::set<std::string>& more, const VocabularyFiles& files) {
  std::vector<SentencePiece> pieces;
  MarianVocabulary read{nullptr, {}, list.unknown};
  const auto add = [&](const std::string& word, int64_t row) {
    const auto found = own.find(word);
    pieces.push_back(found != own.end() ? found->second : SentencePiece{word, 0, PieceType::unused});
    read.rows.push_back(row);
  };
  for (size_t i = 0; i < list.words.size(); ++i) {
    const auto row = static_cast<int64_t>(i);
    add(list.words[i], row);
    SentencePiece& piece = pieces.back();
    if (row == list.end) piece = {"</s>", 0, PieceType::control};
    if (row == list.unknown) piece = {"<unk>", 0, PieceType::unknown};
    if (row == files.start && row != list.end) piece = {"<s>", 0, PieceType::control};
    if (piece.type == PieceType::unused && is_language(piece.text))
      piece = {std::string(kBlank) + piece.text, 0, PieceType::user};
  }
  for (const std::string& word : more) add(word, -1);
  read.words = parse_vocabulary(with_pieces(model, pieces), files.pieces.string());
  return read;
}

MarianVocabularies with_ids(const VocabularyFiles& source, const VocabularyFiles& target,
                            const std::vector<int64_t>& sizes) {
  const auto model_of = [](const VocabularyFiles& files) {
    load_vocabulary(files.pieces.string());  // checks it
    return read_file(files.pieces);
  };
  const std::string models[] = {model_of(source), model_of(target)};
  const Pieces own[] = {splitting_pieces(read_sentencepiece_model(models[0], source.pieces.string())),
                        splitting_pieces(read_sentencepiece_model(models[1], target.pieces.string()))};
  const WordList lists[] = {read_word_list(source.ids, sizes[0]), read_word_list(target.ids, sizes[1])};
  const bool one_list = source.ids == target.ids;
  std::set<std::string> more[2];
  for (const size_t side : {0U, 1U}) {
    const std::set<std::string> listed(lists[side].words.begin(), lists[side].words.end());
    for (const auto& [text, piece] : own[side])
      if (!listed.contains(text)) more[side].insert(text);
  }
  if (one_list) {  // the tables may be shared, so both sides need the same rows
    more[0].insert(more[1].begin(), more[1].end());
    more[1] = more[0];
  }
  return {pieces_with_ids(models[0], own[0], lists[0], more[0], source),
          pieces_with_ids(models[1], own[1], lists[1], more[1], target)};
}

MarianVocabulary one_side(const VocabularyFiles& files, int64_t size) {
  return files.ids.empty() ? pieces_alone(files.pieces, size) : words_alone(read_word_list(files.ids, size));
}

}  // namespace

Tensor MarianVocabulary::embeddings(const Tensor& table) const {
  const auto n = static_cast<int64_t>(rows.size());
  Tensor ordered({n, table.columns()});
  for (int64_t i = 0; i < n; ++i) {
    const int64_t row = rows[static_cast<size_t>(i)];
    std::ranges::copy(table.row<float>(row < 0 ? unknown : row), ordered.row<float>(i).begin());
  }
  return ordered;
}

Tensor MarianVocabulary::bias(const Tensor& list) const {
  Tensor ordered({static_cast<int64_t>(rows.size())});
  for (size_t i = 0; i < rows.size(); ++i)
    ordered.data<float>()[i] = rows[i] < 0 ? kNever : list.data<float>()[rows[i]];
  return ordered;
}

bool MarianVocabularies::same_tokens() const {
  if (source.words == target.words) return true;
  if (source.rows != target.rows) return false;
  for (int32_t i = 0; i < source.words->size(); ++i)
    if (source.words->piece(i) != target.words->piece(i)) return false;
  return true;
}

MarianVocabularies read_vocabularies(const VocabularyFiles& source, const VocabularyFiles& target,
                                     const std::vector<int64_t>& sizes) {
  MarianVocabularies both;
  if (!source.pieces.empty() && !source.ids.empty())
    both = with_ids(source, target, sizes);
  else
    both = {one_side(source, sizes[0]), one_side(target, sizes[1])};
  if (both.same_tokens() && both.source.words->serialized() == both.target.words->serialized())
    both.target = both.source;
  return both;
}

}  // namespace attune::marian
