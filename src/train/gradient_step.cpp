#include "train/gradient_step.h"

#include "train/data/guidance.h"
#include "train/data/noise.h"

namespace attune {

void gradient_step(Learner& learner, const Examples& examples, const Task& task,
                   const Vocabularies& vocabularies, const TrainConfig& config, int64_t number, bool last) {
  const Random random =
      Random(static_cast<uint64_t>(config.seed)).stream(1).stream(static_cast<uint64_t>(number));
  Batch batch = task.batch(vocabularies, examples);
  if (!config.guided_alignment.empty()) batch.links = link_matrix(examples);
  if (config.scheduled_sampling > 0 && batch.given.ids)
    sample_given(
        learner.model(), batch,
        sampled_share(config.scheduled_sampling, config.sampling_growth, number, config.sampling_batches),
        random.stream(1));
  const auto drop_words_of = [&](const Tensor& ids, const Vocabulary& words, double share, uint64_t stream) {
    if (share > 0 && ids) drop_words(ids, share, words.unk(), words.eos() + 1, random.stream(stream));
  };
  const auto drop = [&](Ragged& source, const Vocabulary& vocabulary, uint64_t stream) {
    if (source.vectors)
      source.vectors = dropout(source.vectors, {config.dropout_src, random.stream(stream)});
    else
      drop_words_of(source.ids, vocabulary, config.dropout_src, stream);
  };
  constexpr uint64_t kParts = 16;  // the first stream of several sources
  for (size_t i = 0; i < batch.source.parts.size(); ++i)
    drop(batch.source.parts[i], *vocabularies.source->parts()[i], kParts + i);
  if (batch.source.parts.empty()) drop(batch.source, *vocabularies.source, 2);
  drop_words_of(batch.given.ids, *vocabularies.target, config.dropout_trg, 3);
  learner.add(batch, random.stream(0), last);
}

}  // namespace attune
