// The text of an output, with the tags and placeholders of its sentence.
#pragma once

#include <string>
#include <vector>

#include "decode/cut_text.h"
#include "decode/translator.h"
#include "serve/markup/place_markup.h"

namespace attune::serve {

struct MarkedSentence {
  const CutPart& part;
  std::vector<MarkupSpan> marks;  // tags
  bool html = false;
};

// Uses the output's alignment; without one, it assumes that the words are in the order of the sentence.
std::string marked_text(const Translator& translator, const MarkedSentence& sentence,
                        const Hypothesis& output);

}  // namespace attune::serve
