// attune as a library: translates the lines of stdin and tells how sure the model is.
//
//   translate MODEL_FOLDER < lines
#include <attune/error.h>
#include <attune/loaded_model.h>

#include <cstdio>
#include <iostream>

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: translate MODEL_FOLDER < lines\n");
    return 2;
  }
  try {
    const attune::LoadedModel model(arguments[1]);
    std::vector<std::string> lines;
    for (std::string line; std::getline(std::cin, line);) lines.push_back(line);
    for (const auto& outputs : model.outputs(lines, {.beam_size = 4}))
      std::printf("%.3f\t%s\n", outputs[0].normalised, outputs[0].text.c_str());
  } catch (const attune::Error& error) {
    std::fprintf(stderr, "translate: %s\n", error.what());
    return 1;
  }
}
