#include "metrics/bleu.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "attune/error.h"
#include "base/nearest.h"
#include "metrics/ngrams.h"
#include "metrics/tokenize/unicode.h"

namespace attune::metrics {
namespace {

constexpr int kOrders = 4;
constexpr std::array kSmoothingNames{"none", "floor", "add-k", "exp"};
enum At { kHypothesis, kReference, kMatches, kNgrams = kMatches + kOrders, kSize = kNgrams + kOrders };

// The reference length nearest to the hypothesis's; of two equally near, the shorter.
size_t closest(size_t length, std::span<const size_t> candidates) {
  const auto distance = [&](size_t n) { return std::pair(n > length ? n - length : length - n, n); };
  return *std::ranges::min_element(candidates, {}, distance);
}

}  // namespace

// value = brevity penalty * exp(mean of log precision)
struct Bleu::Factors {
  double value = 0, brevity_penalty = 1;
  std::array<double, kOrders> precisions{};  // in percent
};

Smoothing smoothing_of(std::string_view name) {
  const auto* found = std::ranges::find(kSmoothingNames, name);
  if (found == kSmoothingNames.end()) {
    const std::vector<std::string> names(kSmoothingNames.begin(), kSmoothingNames.end());
    throw UsageError(fmt::format("unknown smoothing method '{}'{}", name, did_you_mean(name, names)));
  }
  return static_cast<Smoothing>(found - kSmoothingNames.begin());
}

std::string_view name_of(Smoothing smoothing) { return kSmoothingNames.at(static_cast<size_t>(smoothing)); }

Bleu::Bleu(BleuOptions options)
    : options_(std::move(options)), tokenizer_(find_tokenizer(options_.tokenize, options_.tokenizer)) {}

double Bleu::smooth_value() const {
  return options_.smooth_value.value_or(options_.smoothing == Smoothing::floor ? 0.1 : 1);
}

Signature Bleu::options() const {
  std::string smooth(name_of(options_.smoothing));
  if (options_.smoothing == Smoothing::floor || options_.smoothing == Smoothing::add_k)
    smooth += fmt::format("[{:.2f}]", smooth_value());
  return {{"case", options_.lowercase ? "lc" : "mixed"},
          {"eff", yes_or_no(options_.effective_order)},
          {"tok", tokenizer_.signature},
          {"smooth", smooth}};
}

Statistics Bleu::statistics(std::string_view hypothesis, std::span<const std::string> references) const {
  WordNumbers words;
  NgramNumbers numbers;
  const auto ngrams_of = [&](std::string_view line) {
    const std::string cased = options_.lowercase ? lower(line) : std::string(line);
    const std::string tokens = tokenizer_(strip_end(cased));
    return numbers(words(split(tokens)), kOrders);
  };
  const Ngrams hyp = ngrams_of(hypothesis);
  std::vector<Ngrams> refs;
  std::vector<size_t> lengths;
  for (const std::string& reference : references)
    lengths.push_back(refs.emplace_back(ngrams_of(reference))[0].size());

  std::vector<int32_t> available(numbers.size());  // for each n-gram, the highest count in any reference
  for (const Ngrams& ref : refs) {
    const std::vector<int32_t> counts = count(ref, numbers.size());
    std::ranges::transform(available, counts, available.begin(),
                           [](auto a, auto b) { return std::max(a, b); });
  }
  const std::vector<int64_t> matched = matches(hyp, std::move(available));

  Statistics result(kSize);
  result[kHypothesis] = static_cast<double>(hyp[0].size());
  result[kReference] = static_cast<double>(closest(hyp[0].size(), lengths));
  for (size_t n = 0; n < kOrders; ++n) {
    result[kMatches + n] = static_cast<double>(matched[n]);
    result[kNgrams + n] = static_cast<double>(hyp[n].size());
  }
  return result;
}

Bleu::Factors Bleu::factors(const Statistics& totals) const {
  Factors result;
  const double hyp = totals[kHypothesis], ref = totals[kReference];
  if (hyp < ref) result.brevity_penalty = hyp > 0 ? std::exp(1 - ref / hyp) : 0;
  const auto matched = std::span(totals).subspan(kMatches, kOrders);
  if (std::ranges::all_of(matched, [](double n) { return n == 0; })) return result;

  double halved = 1;
  size_t order = options_.effective_order ? 0 : kOrders;
  for (size_t n = 0; n < kOrders; ++n) {
    const double added = options_.smoothing == Smoothing::add_k && n > 0 ? smooth_value() : 0;
    const double right = matched[n] + added, all = totals[kNgrams + n] + added;
    if (all == 0) break;
    if (options_.effective_order) order = n + 1;
    if (right > 0)
      result.precisions[n] = 100 * right / all;
    else if (options_.smoothing == Smoothing::exp)
      result.precisions[n] = 100 / ((halved *= 2) * all);
    else if (options_.smoothing == Smoothing::floor)
      result.precisions[n] = 100 * smooth_value() / all;
  }
  double logs = 0;
  for (size_t n = 0; n < order; ++n) logs += std::log(result.precisions[n]);  // log 0 = -inf, whose exp is 0
  result.value = result.brevity_penalty * std::exp(logs / static_cast<double>(order));
  return result;
}

double Bleu::value(const Statistics& totals) const { return factors(totals).value; }

std::string Bleu::verbose(const Statistics& totals) const {
  const Factors p = factors(totals);
  const double hyp = totals[kHypothesis], ref = totals[kReference];
  return fmt::format(
      "{:.1f}/{:.1f}/{:.1f}/{:.1f} (BP = {:.3f} ratio = {:.3f} hyp_len = {:.0f} ref_len = {:.0f})",
      p.precisions[0], p.precisions[1], p.precisions[2], p.precisions[3], p.brevity_penalty,
      ref > 0 ? hyp / ref : 0, hyp, ref);
}

}  // namespace attune::metrics
