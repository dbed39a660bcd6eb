#include "train/data/line_vocabularies.h"

#include "text/directions/directed_vocabulary.h"
#include "text/directions/direction.h"
#include "text/vocabulary/derived_vocabulary.h"

namespace attune {
namespace {

constexpr uint64_t kSubwords = 0x5B;  // the stream of a line's random numbers; tasks use the first ones

class SampledVocabulary final : public DerivedVocabulary {
 public:
  SampledVocabulary(std::shared_ptr<const Vocabulary> vocabulary, double rate, const Random& random)
      : DerivedVocabulary(std::move(vocabulary)), rate_(rate), random_(random) {}

  std::vector<int32_t> encode(std::string_view text) const override {
    return base().sample(text, rate_, random_);
  }

 private:
  double rate_;
  Random random_;
};

}  // namespace

LineVocabularies::LineVocabularies(const TrainConfig& config, const Corpus& corpus,
                                   const Vocabularies& vocabularies)
    : corpus_(corpus), all_(vocabularies), sampling_(config.subword_sampling) {
  for (const std::string& language : targets_of(read_directions(config.languages)))
    towards_[language] = towards(vocabularies, language);
}

Vocabularies LineVocabularies::of(const CorpusLine& line) const {
  const Vocabularies& own = towards_.empty() ? all_ : towards_.at(corpus_.languages(line.number).back());
  if (sampling_ == 0) return own;
  const Random random = line.random.stream(kSubwords);
  return {std::make_shared<const SampledVocabulary>(own.source, sampling_, random.stream(0)),
          std::make_shared<const SampledVocabulary>(own.target, sampling_, random.stream(1))};
}

}  // namespace attune
