#include "decode/word_choice/shortlist.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "attune/error.h"
#include "io/safetensors.h"

namespace attune {
namespace {

void keep_each_once(std::vector<int32_t>& words) {
  std::ranges::sort(words);
  words.erase(std::unique(words.begin(), words.end()), words.end());
}

Tensor numbers(const std::vector<int32_t>& values) {
  return Tensor::of<int32_t>({static_cast<int64_t>(values.size())}, values);
}

}  // namespace

Shortlist::Shortlist(std::vector<std::vector<int32_t>> translations, std::vector<int32_t> always)
    : translations_(std::move(translations)), always_(std::move(always)) {
  for (auto& list : translations_) keep_each_once(list);
  keep_each_once(always_);
}

Shortlist Shortlist::learn(std::span<const SentencePair> pairs, const Vocabularies& vocabularies,
                           int64_t best, int64_t frequent) {
  std::vector<std::vector<int32_t>> translations;
  for (const auto& list : lexicon(pairs, vocabularies.source->size(), best)) {
    auto& words = translations.emplace_back();
    if (vocabularies.joint()) words.push_back(static_cast<int32_t>(translations.size() - 1));
    for (const TranslatedWord& translation : list) words.push_back(translation.word);
  }
  std::vector<int64_t> counts(static_cast<size_t>(vocabularies.target->size()), 0);
  for (const SentencePair& pair : pairs)
    for (const int32_t word : pair.target) ++counts[static_cast<size_t>(word)];
  std::vector<int32_t> always(counts.size());
  std::iota(always.begin(), always.end(), 0);
  std::ranges::stable_sort(always, std::greater<>(),
                           [&](int32_t word) { return counts[static_cast<size_t>(word)]; });
  always.resize(std::min(always.size(), static_cast<size_t>(frequent)));
  const Vocabulary& target = *vocabularies.target;
  always.insert(always.end(), {target.unk(), target.bos(), target.eos()});
  return {std::move(translations), std::move(always)};
}

void Shortlist::save(const std::filesystem::path& file) const {
  std::vector<int32_t> ends, words;
  for (const auto& list : translations_) {
    words.insert(words.end(), list.begin(), list.end());
    ends.push_back(static_cast<int32_t>(words.size()));
  }
  write_safetensors(file,
                    std::vector<NamedTensor>{
                        {"always", numbers(always_)}, {"ends", numbers(ends)}, {"words", numbers(words)}});
}

std::shared_ptr<const Shortlist> Shortlist::of_folder(const std::filesystem::path& folder,
                                                      const Vocabularies& vocabularies) {
  const auto file = folder / kShortlistFile;
  if (!std::filesystem::exists(file))
    throw UsageError(
        fmt::format("{}: this model has no shortlist; `attune shortlist` makes one", folder.string()));
  return std::make_shared<const Shortlist>(load(file, vocabularies));
}

Shortlist Shortlist::load(const std::filesystem::path& file, const Vocabularies& vocabularies) {
  const SafeTensors tensors = SafeTensors::read(file);
  const auto list = [&](std::string_view name) { return tensors.tensor(name).span<int32_t>(); };
  const auto always = list("always"), ends = list("ends"), words = list("words");
  const auto known = [&](int32_t word) { return word >= 0 && word < vocabularies.target->size(); };
  const bool fits = static_cast<int64_t>(ends.size()) == vocabularies.source->size() &&
                    std::ranges::is_sorted(ends) && (ends.empty() || ends.front() >= 0) &&
                    (ends.empty() ? 0 : static_cast<size_t>(ends.back())) == words.size() &&
                    std::ranges::all_of(always, known) && std::ranges::all_of(words, known);
  if (!fits)
    throw UsageError(
        fmt::format("{}: this shortlist does not fit the model's vocabulary; make a new one with "
                    "`attune shortlist`",
                    file.string()));
  std::vector<std::vector<int32_t>> translations;
  size_t begin = 0;
  for (const int32_t end : ends) {
    const auto some = words.subspan(begin, static_cast<size_t>(end) - begin);
    translations.emplace_back(some.begin(), some.end());
    begin = static_cast<size_t>(end);
  }
  return {std::move(translations), {always.begin(), always.end()}};
}

std::vector<int32_t> Shortlist::words(std::span<const int32_t> source) const {
  std::vector<int32_t> all = always_;
  for (const int32_t word : source) {
    const auto& list = translations_[static_cast<size_t>(word)];
    all.insert(all.end(), list.begin(), list.end());
  }
  keep_each_once(all);
  return all;
}

}  // namespace attune
