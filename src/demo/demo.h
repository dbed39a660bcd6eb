// The demos.
#pragma once

#include <cstdint>
#include <string>

namespace attune::demo {

struct DatesDemo {
  std::string folder = "attune-demo";
  int64_t seed = 1, updates = 0;  // of each model; 0: what it takes
  bool data_only = false;
};

// Makes its data, trains a Bahdanau model and a Transformer, and shows what they do and where they look.
void run_demo(const DatesDemo& demo);

struct TextDemo {
  std::string config;
  double minutes = 10;
};

// Trains what a configuration says, for a while, and shows translations at its beginning and at its end.
void run_demo(const TextDemo& demo);

}  // namespace attune::demo
