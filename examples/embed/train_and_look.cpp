// attune as a library: learns to write lines backwards, measures itself, shows where it looked, and makes a
// smaller copy.
//
//   train_and_look SOURCES TARGETS FOLDER
#include <attune/error.h>
#include <attune/evaluation.h>
#include <attune/loaded_model.h>
#include <attune/loaded_vocabulary.h>
#include <attune/model_formats.h>
#include <attune/training.h>

#include <cstdio>
#include <fstream>

static std::vector<std::string> lines_of(const char* path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

int main(int count, char** arguments) {
  if (count != 4) {
    std::fprintf(stderr, "usage: train_and_look SOURCES TARGETS FOLDER\n");
    return 2;
  }
  try {
    const std::string folder = arguments[3];
    const attune::TrainingResult run =
        attune::train({{"type", "rnn"},
                       {"embedding", 16},
                       {"hidden", 16},
                       {"dropout", 0.0},
                       {"vocab_kind", "word"},
                       {"learning_rate", 0.02},
                       {"lr_warmup", "10u"},
                       {"after", "150u"},
                       {"train_sets", {arguments[1], arguments[2]}},
                       {"model", folder}},
                      {.on_progress = [](const attune::TrainingProgress& progress) {
                        std::fprintf(stderr, "%3.0f%%\r", 100 * progress.share);
                      }});
    const attune::LoadedModel model(run.model);
    const std::vector<std::string> sources = lines_of(arguments[1]);
    const std::vector<std::vector<std::string>> references{lines_of(arguments[2])};
    for (const auto& score : attune::evaluate(model.translate(sources), references, {.metrics = {"chrf"}}))
      std::printf("%s %.1f\n", score.name.c_str(), score.score);
    std::printf("%s", model.attend(sources[0]).terminal().c_str());
    std::printf("%zu words\n", static_cast<size_t>(attune::LoadedVocabulary(run.model / "vocab.txt").size()));
    attune::quantize_model(run.model, folder + ".int8");
    std::printf("%s\n", attune::LoadedModel(folder + ".int8").translate(sources[0]).c_str());
  } catch (const attune::Error& error) {
    std::fprintf(stderr, "train_and_look: %s\n", error.what());
    return 1;
  }
}
