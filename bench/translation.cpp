#include "bench/translation.h"

namespace attune::bench {

Translation::Translation(const Request& request)
    : request_(request),
      translator_(ModelFolder(request.model)
                      .translator({.search = {.beam_size = request.beam,
                                              .normalize = 1,
                                              .max_length = 256,  // as CTranslate2
                                              .max_length_factor = 0},
                                   .mini_batch_words = request.batch_words})) {}

Translation::Result Translation::all(const std::vector<std::string>& lines) const {
  std::vector<TranslatorInput> inputs;
  for (const std::string& line : lines) inputs.push_back({line});
  Result result;
  const auto outputs = translator_.search(inputs);
  for (size_t i = 0; i < lines.size(); ++i) {
    result.texts.push_back(translator_.text(outputs[i][0], inputs[i]));
    result.read.push_back(static_cast<int64_t>(translator_.tokens(lines[i]).size()));
    result.written.push_back(static_cast<int64_t>(outputs[i][0].word_scores.size()));
  }
  return result;
}

std::vector<double> Translation::one_by_one(const std::vector<std::string>& lines, Clock clock) const {
  std::vector<double> seconds;
  for (const std::string& line : lines)
    seconds.push_back(attune::bench::seconds([&] { all({line}); }, 1, clock));
  return seconds;
}

}  // namespace attune::bench
