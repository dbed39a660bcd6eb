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
    sample_given(learner.model(), batch, config.scheduled_sampling, random.stream(1));
  const auto drop = [&](const Tensor& ids, const Vocabulary& words, double share, uint64_t stream) {
    if (share > 0 && ids) drop_words(ids, share, words.unk(), words.eos() + 1, random.stream(stream));
  };
  if (batch.source.vectors)
    batch.source.vectors = dropout(batch.source.vectors, {config.dropout_src, random.stream(2)});
  else
    drop(batch.source.ids, *vocabularies.source, config.dropout_src, 2);
  drop(batch.given.ids, *vocabularies.target, config.dropout_trg, 3);
  learner.add(batch, random.stream(0), last);
}

}  // namespace attune
