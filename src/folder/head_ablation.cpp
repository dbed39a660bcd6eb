#include "folder/head_ablation.h"

#include <fmt/core.h>

#include <map>

#include "attune/autograd.h"
#include "attune/error.h"
#include "folder/model_folder.h"

namespace attune {
namespace {

using Lines = std::vector<LineToScore>;

// -log p of a token, in the mean.
double mean_loss(const ModelFolder& folder, const Lines& lines) {
  double sum = 0, count = 0;
  for (const auto& tokens : folder.scorer().score(lines))
    for (const double log_p : tokens) {
      sum -= log_p;
      ++count;
    }
  if (count == 0) throw UsageError("there is nothing to score: the lines have no tokens");
  return sum / count;
}

struct CountingLens final : Lens {
  std::map<AttentionName, int> heads;

  void attention(AttentionName name, const Tensor&, const Rows&, const Rows&, int count) override {
    heads[name] = count;
  }
};

// The heads of every attention, seen while the model reads a line.
std::map<AttentionName, int> heads_of(const ModelFolder& folder, const Lines& lines) {
  const NoGrad no_grad;
  const Task& task = folder.task();
  CountingLens lens;
  for (const LineToScore& line : lines) {
    if (task.scored_examples(line) == 0) continue;
    const Examples examples{{task.scored_example(folder.vocabularies(), line, 0)}};
    Pass pass(&lens);
    folder.model().models()[0].model->features(task.batch(folder.vocabularies(), examples), pass);
    break;
  }
  return lens.heads;
}

}  // namespace

std::string weights_name(const AttentionName& where) {
  return fmt::format("{}.layer{}.{}", where.stack == AttentionName::encoder ? "encoder" : "decoder",
                     where.layer, where.kind == AttentionName::self ? "self" : "cross");
}

std::vector<AblatedHead> ablate_heads(const std::filesystem::path& path,
                                      const std::vector<std::vector<std::string>>& texts) {
  const ModelFolder whole(path);
  const Scorer scorer = whole.scorer();
  Lines lines;
  for (size_t i = 0; i < texts.size(); ++i) lines.push_back(scorer.line(static_cast<int64_t>(i), texts[i]));
  const double before = mean_loss(whole, lines);
  std::vector<AblatedHead> all;
  for (const auto& [where, heads] : heads_of(whole, lines))
    for (int64_t head = 0; head < heads; ++head) {
      const ModelFolder without = whole.edited(AttentionEdits({{.where = where, .head = head}}));
      all.push_back({where, head, mean_loss(without, lines) - before});
    }
  if (all.empty())
    throw UsageError(
        fmt::format("{}: a model of type {} has no heads to leave out", path.string(), whole.model().type()));
  return all;
}

}  // namespace attune
