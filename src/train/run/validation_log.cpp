#include "train/run/validation_log.h"

#include <filesystem>

#include "text/directions/directed_vocabulary.h"
#include "text/directions/direction.h"
#include "view/attention_json.h"

namespace attune {

ValidationLog::ValidationLog(const RunConfig& config, const Vocabularies& vocabularies, size_t columns,
                             const Model& model, int64_t bytes)
    : file_(std::filesystem::path(config.train.model) / "validations.jsonl", bytes) {
  const std::string& sentence = config.train.attend_sentence;
  if (sentence.empty()) return;
  const size_t tab = sentence.find('\t');
  source_ = sentence.substr(0, tab);
  if (tab != std::string::npos) target_ = sentence.substr(tab + 1);
  const auto directions = read_directions(config.train.languages);
  const Vocabularies own = directions.empty() ? vocabularies : towards(vocabularies, directions[0].target);
  probe_.emplace(
      std::make_shared<const TextModel>(model, *config.model, own, columns == 2),
      ProbeOptions{.name = "attend_sentence", .search = {.beam_size = config.train.valid_beam_size}});
  attention();
}

std::string ValidationLog::attention() const {
  return probe_ ? view::packed_json(probe_->look(source_, target_), true, view::kCoarse) : "";
}

void ValidationLog::append(int64_t update, const Validation& validation) {
  std::vector<std::string> samples;  // source, reference, output; then the next sample
  for (const auto& [source, reference, output] : validation.samples)
    samples.insert(samples.end(), {source, reference, output});
  const std::string seen = attention();
  file_.append([&](Fields& f) {
    f("update", update, "");
    f("samples", samples, "");
    f("attention", seen, "");
  });
}

}  // namespace attune
