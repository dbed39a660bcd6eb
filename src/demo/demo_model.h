// DemoModel: a model folder that translates and shows where it looks.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "folder/model_folder.h"
#include "view/attention.h"

namespace attune::demo {

class DemoModel {
 public:
  DemoModel(const std::string& name, const ModelFolder& folder, const SearchOptions& search)
      : translator_(folder.translator({.search = search})),
        probe_(folder.prober({.name = name, .search = search})) {}

  std::vector<std::string> translate(std::span<const std::string> texts) const {
    return translator_.translate(texts);
  }

  // The output for a text and all the attention that it came from.
  view::Attention look(const std::string& text) const { return probe_.look(text); }

 private:
  Translator translator_;
  AttentionProbe probe_;
};

// For the terminal: without the </s> of the output, and with the </s> of the source as narrow as a letter.
view::AttentionMatrix demo_map(const view::Attention& attention);

}  // namespace attune::demo
