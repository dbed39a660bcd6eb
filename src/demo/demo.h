// The demos.
#pragma once

#include <cstdint>
#include <string>

namespace attune::demo {

struct DatesDemo {
  std::string folder = "attune-demo";
  int64_t seed = 1, updates = 0;  // of each model; 0: as many as it needs
  bool data_only = false;
};

// Makes its data, trains a Bahdanau model and a Transformer, and shows what they do and where they look.
void run_demo(const DatesDemo& demo);

struct TextDemo {
  std::string config;
  double minutes = 10;
};

// Trains the model of a configuration for a while, and shows translations from the beginning and the end.
void run_demo(const TextDemo& demo);

}  // namespace attune::demo
