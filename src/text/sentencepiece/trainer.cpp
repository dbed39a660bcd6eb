#include "text/sentencepiece/trainer.h"

#include <fmt/core.h>
#include <sentencepiece_trainer.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <unordered_map>

#include "attune/error.h"
#include "attune/random.h"
#include "text/sentencepiece/vocabulary.h"
#include "text/utf8.h"
#include "text/vocabulary/text_survey.h"

namespace attune {
namespace {

// The library counts characters in 32 bits and needs about 25 bytes of memory for each.
constexpr int64_t kMostBytes = 24 << 20;
// It skips lines that are longer than this, so they are cut.
constexpr size_t kLongestSentence = 4000;

// The library marks unknown characters with this one, and skips lines that contain it.
constexpr std::string_view kReserved = "▅";

// Gives the library `wanted` of `total` lines: line i with the probability (wanted - taken) / (total - i),
// which makes every selection equally likely (Knuth's algorithm S).
class ChosenLines final : public sentencepiece::SentenceIterator {
 public:
  ChosenLines(const std::vector<TextLines>& text, int64_t wanted, int64_t total, uint64_t seed)
      : text_(text), wanted_(wanted), left_(total), random_(seed) {
    Next();
  }

  bool done() const override { return done_; }
  const std::string& value() const override { return value_; }
  sentencepiece::util::Status status() const override { return {}; }

  void Next() override {
    while (rest_.empty()) {
      while (source_ < text_.size() && line_ == text_[source_].count) ++source_, line_ = 0;
      if (source_ == text_.size()) {
        done_ = true;
        return;
      }
      const auto left = static_cast<uint64_t>(left_--);
      if (random_.below(left, left) < static_cast<uint64_t>(wanted_)) {
        --wanted_;
        rest_ = text_[source_].line(line_);
        for (size_t at = 0; (at = rest_.find(kReserved, at)) != std::string::npos;)
          rest_.erase(at, kReserved.size()).insert(at, 1, ' ');
      }
      ++line_;
    }
    value_ = rest_.substr(0, cut(rest_));
    rest_.erase(0, value_.size());
    if (rest_.starts_with('\n')) rest_.erase(0, 1);
  }

 private:
  // Where to cut: at the end of a line; of a long one at a space if there is one, always between code points.
  static size_t cut(const std::string& text) {
    const std::string_view line = std::string_view(text).substr(0, text.find('\n'));
    if (line.size() <= kLongestSentence) return line.size();
    const size_t blank = line.rfind(' ', kLongestSentence);
    if (blank != std::string::npos && blank > 0) return blank;
    return code_point_begin(line, kLongestSentence);
  }

  const std::vector<TextLines>& text_;
  int64_t wanted_, left_;
  Random random_;
  size_t source_ = 0;
  int64_t line_ = 0;
  std::string rest_, value_;
  bool done_ = false;
};

// The share of the text whose characters get a token. If they do not fit and bytes can replace them, it is
// the smallest that the library accepts.
double coverage(const VocabularyOptions& options, const TextSurvey& found, int64_t room) {
  constexpr int64_t kSmallAlphabet = 1000;
  if (options.character_coverage > 0) return options.character_coverage;
  const double usual = found.characters() < kSmallAlphabet ? 1.0 : 0.9995;
  return options.byte_fallback && found.needed_for(usual) > room ? kLeastCharacterCoverage : usual;
}

// A list as the library reads it: comma separated, with quotes.
std::string as_csv(const std::vector<std::string>& items) {
  std::string csv;
  for (const std::string& item : items) {
    csv += csv.empty() ? "\"" : ",\"";
    for (const char c : item) csv += c == '"' ? std::string("\"\"") : std::string(1, c);
    csv += '"';
  }
  return csv;
}

std::unordered_map<std::string, std::string> library_options(const VocabularyOptions& options,
                                                             double coverage) {
  const bool as_is = options.normalisation == Normalisation::none;
  const auto yes_no = [](bool value) { return std::string(value ? "true" : "false"); };
  std::unordered_map<std::string, std::string> all{
      {"model_type", name_of(options.kind)},
      {"vocab_size", fmt::format("{}", options.size)},
      {"hard_vocab_limit", yes_no(options.exact_size)},
      {"character_coverage", fmt::format("{}", coverage)},
      {"byte_fallback", yes_no(options.byte_fallback)},
      {"normalization_rule_name",
       as_is ? "identity" : enum_names(options.normalisation)[static_cast<size_t>(options.normalisation)]},
      {"remove_extra_whitespaces", yes_no(!as_is)},
      {"max_sentence_length", "100000"},
      {"num_threads", "8"},  // sums are split into this many parts, so the number affects the last bits
      {"minloglevel", "3"}};
  std::vector<std::string> symbols = options.user_symbols;
  if (options.line_breaks) symbols.emplace_back("\n");
  if (!symbols.empty()) all["user_defined_symbols"] = as_csv(symbols);
  return all;
}

// The two errors of the library that a user can act on.
[[noreturn]] void explain(const char* message, const VocabularyOptions& options) {
  long long given = 0, limit = 0;
  const auto says = [&](const char* start, const char* numbers) {
    const char* text = std::strstr(message, start);
    return text != nullptr && std::sscanf(text + std::strlen(start), numbers, &given, &limit) == 2;
  };
  if (says("Vocabulary size too high", " (%lld). Please set it to a value <= %lld"))
    throw UsageError(
        fmt::format("size: this text cannot give {} tokens, only up to {}; ask for fewer, or do not "
                    "require the exact size",
                    options.size, limit));
  if (says("smaller than required_chars.", " %lld vs %lld"))
    throw UsageError(fmt::format(
        "size: {} is too small: the characters of this text and the special symbols alone need {}; ask "
        "for more, or lower the character coverage{}",
        options.size, limit,
        options.byte_fallback && limit - 256 <= options.size ? ", or turn off byte fallback (256 tokens)"
                                                             : ""));
  throw Error(fmt::format("SentencePiece cannot make the vocabulary: {}", message));
}

}  // namespace

std::unique_ptr<Vocabulary> train_sentencepiece(const std::vector<TextLines>& text,
                                                const VocabularyOptions& options) {
  const TextSurvey found = survey(text);
  if (found.characters() == 0) throw UsageError("the text for the vocabulary is empty");
  const int64_t symbols = 3 + static_cast<int64_t>(options.user_symbols.size()) +
                          (options.line_breaks ? 1 : 0) + (options.byte_fallback ? 256 : 0);
  if (options.size <= symbols)
    throw UsageError(
        fmt::format("a vocabulary of {} tokens is too small: special and user symbols{} alone need {}",
                    options.size, options.byte_fallback ? " and the 256 bytes" : "", symbols));
  const double part = std::min(1.0, kMostBytes / static_cast<double>(found.bytes));
  const int64_t wanted =
      std::min(options.sentences, static_cast<int64_t>(std::ceil(part * static_cast<double>(found.lines))));
  ChosenLines lines(text, wanted, found.lines, options.seed);
  std::string model;
  const auto status = sentencepiece::SentencePieceTrainer::Train(
      library_options(options, coverage(options, found, options.size - symbols)), &lines, &model);
  if (!status.ok()) explain(status.message(), options);
  return parse_sentencepiece_vocabulary(std::move(model), "the new vocabulary");
}

}  // namespace attune
