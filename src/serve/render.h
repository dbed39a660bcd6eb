// The text of an output, with the tags and placeholders of its sentence.
#pragma once

#include <string>
#include <vector>

#include "serve/marks.h"
#include "serve/served_model.h"

namespace attune::serve {

struct MarkedSentence {
  const std::string& text;
  std::vector<Mark> marks;  // tags
  bool html = false;
};

// By the output's alignment; without one, as if the words stood in the order of the sentence.
std::string render(const ServedModel& model, const MarkedSentence& sentence, const Hypothesis& output);

}  // namespace attune::serve
