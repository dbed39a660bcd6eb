// BPE of bytes (Sennrich et al. 2016; Radford et al. 2019): a word is at first its bytes; of all neighbours
// that are a merge, those of the earliest merge become one token, until none is left.
#include <fmt/core.h>

#include <array>
#include <queue>
#include <unordered_map>

#include "attune/error.h"
#include "text/tokenizer/token_model.h"
#include "text/utf8.h"
#include "text/vocabulary/listed_vocabulary.h"

namespace attune {
namespace {

constexpr size_t kBytes = 256;

// GPT-2's files write a byte as a character: those that can be seen as themselves, the others from U+0100 on.
std::unordered_map<char32_t, char> byte_alphabet() {
  std::unordered_map<char32_t, char> bytes;
  char32_t next = 0x100;
  for (char32_t b = 0; b < kBytes; ++b) {
    const bool seen = (b >= 0x21 && b <= 0x7E) || (b >= 0xA1 && b != 0xAD);
    bytes[seen ? b : next++] = static_cast<char>(b);
  }
  return bytes;
}

// The bytes of a token; one that is not made of the alphabet is text.
std::string bytes_of(const std::string& token) {
  static const std::unordered_map<char32_t, char> alphabet = byte_alphabet();
  std::string bytes;
  for (Utf8Reader reader(token); const auto c = reader.next();) {
    const auto byte = alphabet.find(c->value);
    if (byte == alphabet.end()) return token;
    bytes += byte->second;
  }
  return bytes;
}

class ByteBpe final : public TokenModel {
 public:
  ByteBpe(const TokenizerFile& file, const std::string& name) : rules_(file.bpe) {
    std::unordered_map<std::string_view, int32_t> ids;
    for (const std::string& token : file.tokens) {
      const auto id = static_cast<int32_t>(bytes_.size());
      ids.emplace(token, id);
      bytes_.push_back(bytes_of(token));
    }
    for (const AddedToken& token : file.added) bytes_[static_cast<size_t>(token.id)] = token.text;
    read_bytes(file, name);
    read_merges(ids, name);
    rules_.merges.clear();
    if (!rules_.whole_words) return;
    for (const std::string& token : file.tokens) words_.emplace(bytes_of(token), ids.at(token));
  }

  TracedText normalized(std::string_view text) const override {
    TracedText result;
    if (rules_.space_first && !text.starts_with(' ')) result.add(" ", 0);
    const TracedText rest = rules_.compose ? composed(text) : unchanged(text);
    result.text += rest.text;
    result.origins.insert(result.origins.end(), rest.origins.begin(), rest.origins.end());
    return result;
  }

  std::vector<CutToken> cut(std::string_view text) const override {
    std::vector<CutToken> tokens;
    for (const std::string_view part :
         rules_.digits ? split_digits(text, *rules_.digits) : std::vector{text}) {
      if (!rules_.words)
        cut_word(part, tokens);
      else
        for (const std::string_view word : split_words(part, *rules_.words)) cut_word(word, tokens);
    }
    return tokens;
  }

  std::string decode(std::span<const int32_t> ids) const override {
    std::string text;
    for (const int32_t id : ids) text += bytes_[static_cast<size_t>(id)];
    if (rules_.space_first && text.starts_with(' ')) text.erase(0, 1);
    return find_invalid_utf8(text) ? replace_invalid_utf8(text) : text;
  }

  std::string shown(int32_t id) const override {
    std::string result;
    for (std::string_view rest = bytes_[static_cast<size_t>(id)]; !rest.empty();) {
      const size_t bad = find_invalid_utf8(rest).value_or(rest.size());
      for (Utf8Reader reader(rest.substr(0, bad)); const auto c = reader.next();)
        result += shown_character(c->value, c->bytes);
      if (bad < rest.size()) result += fmt::format("<0x{:02X}>", static_cast<uint8_t>(rest[bad]));
      rest.remove_prefix(std::min(rest.size(), bad + 1));
    }
    return result;
  }
  std::string shown_unknown(std::string_view text) const override { return std::string(text); }

  std::string_view fragment(int32_t id) const override {
    const std::string_view bytes = bytes_[static_cast<size_t>(id)];
    return find_invalid_utf8(bytes) ? bytes : std::string_view();
  }
  int32_t unk() const override { return byte_ids_[kBytes - 1]; }  // 0xFF is never in UTF-8

 private:
  struct Merge {
    size_t rank;
    int32_t id;
  };
  static uint64_t pair(int32_t left, int32_t right) {
    return static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32U | static_cast<uint32_t>(right);
  }

  void read_bytes(const TokenizerFile& file, const std::string& name) {
    byte_ids_.fill(-1);
    for (size_t i = 0; i < file.tokens.size(); ++i)
      if (const std::string bytes = bytes_of(file.tokens[i]); bytes.size() == 1)
        byte_ids_[static_cast<uint8_t>(bytes[0])] = static_cast<int32_t>(i);
    for (size_t byte = 0; byte < kBytes; ++byte)
      if (byte_ids_[byte] < 0)
        throw UsageError(fmt::format("{}: the tokenizer has no token for the byte 0x{:02X}", name, byte));
  }

  void read_merges(const std::unordered_map<std::string_view, int32_t>& ids, const std::string& name) {
    size_t rank = 0;
    for (const auto& [left, right] : rules_.merges) {
      const auto l = ids.find(left), r = ids.find(right), both = ids.find(left + right);
      if (l == ids.end() || r == ids.end() || both == ids.end())
        throw UsageError(fmt::format("{}: the merge '{} {}' has a token that is not in the vocabulary", name,
                                     left, right));
      merges_.insert_or_assign(pair(l->second, r->second), Merge{rank++, both->second});
    }
  }

  struct Node {
    int32_t id;
    size_t begin, end;
    size_t before, after;  // nodes; kNone: there is none
  };
  static constexpr size_t kNone = static_cast<size_t>(-1);

  struct Candidate {
    size_t rank, at;
    int32_t id;
    // The queue gives the earliest merge, of these the leftmost.
    bool operator<(const Candidate& other) const {
      return rank != other.rank ? rank > other.rank : at > other.at;
    }
  };

  void cut_word(std::string_view word, std::vector<CutToken>& to) const {
    if (rules_.whole_words)
      if (const auto whole = words_.find(std::string(word)); whole != words_.end()) {
        to.push_back({whole->second, word});
        return;
      }
    std::vector<Node> nodes;
    for (size_t i = 0; i < word.size(); ++i)
      nodes.push_back({byte_ids_[static_cast<uint8_t>(word[i])], i, i + 1, i == 0 ? kNone : i - 1,
                       i + 1 == word.size() ? kNone : i + 1});
    std::priority_queue<Candidate> candidates;
    const auto consider = [&](size_t at) {
      if (at == kNone || nodes[at].after == kNone) return;
      const auto merge = merges_.find(pair(nodes[at].id, nodes[nodes[at].after].id));
      if (merge != merges_.end()) candidates.push({merge->second.rank, at, merge->second.id});
    };
    for (size_t i = 0; i < nodes.size(); ++i) consider(i);
    while (!candidates.empty()) {
      const Candidate best = candidates.top();
      candidates.pop();
      Node& node = nodes[best.at];
      if (node.id < 0 || node.after == kNone) continue;  // it became a part of another one meanwhile
      Node& next = nodes[node.after];
      const auto merge = merges_.find(pair(node.id, next.id));
      if (merge == merges_.end() || merge->second.id != best.id) continue;
      node.id = best.id;
      node.end = next.end;
      node.after = next.after;
      next.id = -1;
      if (node.after != kNone) nodes[node.after].before = best.at;
      consider(node.before);
      consider(best.at);
    }
    for (const Node& node : nodes)
      if (node.id >= 0) to.push_back({node.id, word.substr(node.begin, node.end - node.begin)});
  }

  TokenizerFile::Bpe rules_;
  std::vector<std::string> bytes_;  // of each token
  std::array<int32_t, kBytes> byte_ids_{};
  std::unordered_map<uint64_t, Merge> merges_;
  std::unordered_map<std::string, int32_t> words_;
};

}  // namespace

std::unique_ptr<TokenModel> make_byte_bpe(const TokenizerFile& file, const std::string& name) {
  return std::make_unique<ByteBpe>(file, name);
}

}  // namespace attune
