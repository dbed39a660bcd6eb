// DemoModel: a model folder that translates and shows where it looks.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "folder/model_folder.h"
#include "view/attention.h"

namespace attune::demo {

class DemoModel {
 public:
  // Translates greedily unless `search` says otherwise; what is looked at was found by a beam, whose
  // hypotheses are something to see.
  DemoModel(const std::string& name, const ModelFolder& folder, const SearchOptions& search)
      : translator_(folder.translator({.search = search})),
        probe_(folder.prober({.name = name, .search = with_beam(search)})),
        close_(folder.prober({.name = name, .search = with_beam(search), .numbers = true})) {}

  std::vector<std::string> translate(std::span<const std::string> texts) const {
    return translator_.translate(texts);
  }

  // The output for a text and all the attention that it came from.
  view::Attention look(const std::string& text) const { return probe_.look(text); }
  // And the numbers that it was computed from.
  view::Attention look_closely(const std::string& text) const { return close_.look(text); }

 private:
  static SearchOptions with_beam(SearchOptions search) {
    search.beam_size = std::max<int64_t>(search.beam_size, 4);
    return search;
  }

  Translator translator_;
  AttentionProbe probe_, close_;
};

// For the terminal: without the </s> of the output, and with the </s> of the source as narrow as a letter.
view::AttentionMatrix demo_map(const view::Attention& attention);

}  // namespace attune::demo
