#include "decode/word_choice/spelling.h"

#include <algorithm>
#include <cmath>

#include "attune/autograd.h"
#include "text/utf8.h"

namespace attune {
namespace {

constexpr std::string_view kBlank = "▁";
constexpr size_t kMostRespelled = 8;   // tokens; scripts without spaces have no words to start from
constexpr size_t kMostSpellings = 16;  // followed at a time

bool ends_blank(const std::string& text) {
  char32_t last = 0;
  for (Utf8Reader reader(text); const auto c = reader.next();) last = c->value;
  return is_white_space(last);
}

// The fixed tokens, and the text of the last word with the vocabulary's own tokens for it.
struct Divided {
  std::vector<int32_t> settled, last;
  std::string text;
};

Divided divided(const std::string& text, const Vocabulary& vocabulary, const PieceTexts& pieces) {
  Divided result{vocabulary.encode(text), {}, ""};
  if (vocabulary.is_listed()) return result;
  if (ends_blank(text)) result.text = kBlank;
  auto& tokens = result.settled;
  while (result.last.size() < kMostRespelled && !tokens.empty() && !pieces[tokens.back()].empty()) {
    result.text.insert(0, pieces[tokens.back()]);
    result.last.insert(result.last.begin(), tokens.back());
    tokens.pop_back();
    if (result.text.starts_with(kBlank)) break;
  }
  return result;
}

struct Path {
  std::vector<int32_t> tokens = {};
  size_t spelled = 0;  // bytes
  double log_p = 0;    // of the tokens; in a result, including those that can spell the rest
  int64_t row = 0;     // of the step that predicts the next token
};

// The continuations of a path: tokens that spell a part of the rest, and, summed up, those that spell all of
// it.
struct Continuations {
  std::vector<Path> longer;
  double all_the_rest = 0;  // probability
};

Continuations continuations(const Path& path, const std::string& text, const PieceTexts& pieces,
                            const NextWords& words) {
  Continuations result;
  const std::string_view rest = std::string_view(text).substr(path.spelled);
  for (int32_t id = 0; id < pieces.count(); ++id) {
    const std::string_view piece = pieces[id];
    if (piece.empty()) continue;
    if (piece.starts_with(rest)) {
      result.all_the_rest += std::exp(words.log_p(path.row, id));
    } else if (rest.starts_with(piece)) {
      Path longer = path;
      longer.tokens.push_back(id);
      longer.spelled += piece.size();
      longer.log_p += words.log_p(path.row, id);
      result.longer.push_back(std::move(longer));
    }
  }
  return result;
}

// argmax over paths of  p(path) p(a token that spells all the rest | path)
Path likeliest(const Divided& given, const PieceTexts& pieces, EnsembleRun& run, const Path& start,
               EnsembleRun::Step step) {
  std::optional<Path> best;
  for (std::vector<Path> live{start}; !live.empty();) {
    std::vector<Path> longer;
    for (const Path& path : live) {
      Continuations next = continuations(path, given.text, pieces, step.words);
      const double log_p = path.log_p + std::log(next.all_the_rest);
      if (next.all_the_rest > 0 && (!best || log_p > best->log_p)) {
        best = path;
        best->log_p = log_p;
      }
      for (Path& each : next.longer) longer.push_back(std::move(each));
    }
    const size_t most = given.last.size() + static_cast<size_t>(pieces.most_more()) - 1;
    std::erase_if(longer,
                  [&](const Path& p) { return p.tokens.size() > most || (best && p.log_p <= best->log_p); });
    std::ranges::stable_sort(longer, std::greater<>(), &Path::log_p);
    longer.resize(std::min(longer.size(), kMostSpellings));
    std::vector<int64_t> parents;
    std::vector<int32_t> tokens;
    for (Path& path : longer) {
      parents.push_back(live.size() == 1 ? 0 : path.row);
      tokens.push_back(path.tokens.back());
      path.row = static_cast<int64_t>(tokens.size()) - 1;
    }
    live = std::move(longer);
    if (live.empty()) break;
    run.select(parents);
    step = run.step(one_token_each(tokens));
  }
  if (best) return *best;
  return {.tokens = given.last, .spelled = given.text.size()};
}

}  // namespace

PieceTexts::PieceTexts(const Vocabulary& vocabulary)
    : texts_(static_cast<size_t>(vocabulary.size())), subwords_(!vocabulary.is_listed()) {
  for (int32_t id = 0; id < vocabulary.size() && subwords_; ++id)
    if (id != vocabulary.unk() && id != vocabulary.bos() && id != vocabulary.eos() && !vocabulary.is_byte(id))
      texts_[static_cast<size_t>(id)] = vocabulary.piece(id);
}

std::vector<int32_t> Beginning::choices(const PieceTexts& pieces) const {
  std::vector<int32_t> all;
  for (int32_t id = 0; id < pieces.count() && !rest.empty(); ++id)
    if (pieces[id].starts_with(rest)) all.push_back(id);
  return all;
}

Beginning beginning_with(const std::string& text, const Vocabulary& vocabulary, const PieceTexts& pieces,
                         const Ensemble& models, const Ragged& source) {
  const Divided given = divided(text, vocabulary, pieces);
  if (given.text.empty()) return {given.settled, ""};
  const NoGrad no_grad;
  EnsembleRun run(models, source, {});
  std::vector<int32_t> first{vocabulary.bos()};
  first.insert(first.end(), given.settled.begin(), given.settled.end());
  const Path path = likeliest(given, pieces, run, {.row = static_cast<int64_t>(given.settled.size())},
                              run.step(one_sentence(first)));
  Beginning result{given.settled, given.text.substr(path.spelled)};
  result.tokens.insert(result.tokens.end(), path.tokens.begin(), path.tokens.end());
  return result;
}

ForcedBeginning::ForcedBeginning(const std::string& beginning, const Vocabulary& vocabulary)
    : told_(vocabulary.decode(vocabulary.encode(beginning))),
      blank_(ends_blank(beginning) && !ends_blank(told_)) {}

std::optional<size_t> ForcedBeginning::length_in(std::string_view output) const {
  if (!output.starts_with(told_)) return {};
  const bool blank = blank_ && output.size() > told_.size() && output[told_.size()] == ' ';
  return told_.size() + (blank ? 1 : 0);
}

}  // namespace attune
