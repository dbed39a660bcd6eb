#include "folder/head_ablation.h"

#include <fmt/core.h>

#include <algorithm>

#include "attune/error.h"
#include "config/entries.h"
#include "folder/model_folder.h"

namespace attune {
namespace {

using Lines = std::vector<std::vector<std::string>>;

constexpr std::string_view kOut = ".out.weight";

// -log p of a token, in the mean.
double mean_loss(const ModelFolder& folder, const Lines& lines) {
  const Scorer scorer = folder.scorer();
  std::vector<LineToScore> read;
  for (size_t i = 0; i < lines.size(); ++i) read.push_back(scorer.line(static_cast<int64_t>(i), lines[i]));
  double sum = 0, count = 0;
  for (const auto& tokens : scorer.score(read))
    for (const double log_p : tokens) {
      sum -= log_p;
      ++count;
    }
  if (count == 0) throw UsageError("there is nothing to score: the lines have no tokens");
  return sum / count;
}

int64_t heads_of(const ModelConfig& config) {
  const Entries entries = entries_of([&](Fields& f) { config.fields(f); });
  const auto found = std::ranges::find(entries, "heads", &Entry::key);
  return found == entries.end() ? 0 : std::stoll(found->values.at(0));
}

// The output layers of attentions.
std::vector<std::string> outputs_of(const ModelFiles& files) {
  std::vector<std::string> names;
  for (const auto& entry : files.parameters->entries())
    if (entry.name.ends_with(".self.out.weight") || entry.name.ends_with(".cross.out.weight"))
      names.push_back(entry.name);
  return names;
}

// W^O [d, d]: head h is multiplied by the columns h d / heads and those after it.
void clear_head(const Tensor& out, int64_t head, int64_t heads) {
  const int64_t width = out.columns() / heads;
  for (int64_t r = 0; r < out.rows(); ++r)
    std::ranges::fill(
        out.row<float>(r).subspan(static_cast<size_t>(head * width), static_cast<size_t>(width)), 0.0F);
}

}  // namespace

std::vector<AblatedHead> ablate_heads(const std::filesystem::path& path, const Lines& lines) {
  const ModelFolder whole(path);
  const int64_t heads = heads_of(*whole.files().config);
  const std::vector<std::string> outputs = outputs_of(whole.files());
  if (heads == 0 || outputs.empty())
    throw UsageError(
        fmt::format("{}: a model of type {} has no heads to leave out", path.string(), whole.model().type()));
  if (whole.files().parameters->at(outputs[0]).dtype() != DType::f32)
    throw UsageError(fmt::format("{}: a quantised model cannot be changed; use the one that it was made from",
                                 path.string()));
  const double before = mean_loss(whole, lines);
  std::vector<AblatedHead> all;
  for (const std::string& name : outputs)
    for (int64_t head = 0; head < heads; ++head) {
      // Operations keep forms derived from weights that were used once, so each head has a model of its own.
      const ModelFolder without(path, WeightsIn::memory);
      clear_head(without.files().parameters->at(name), head, heads);
      all.push_back({name.substr(0, name.size() - kOut.size()), head, mean_loss(without, lines) - before});
    }
  return all;
}

}  // namespace attune
