// DemoModel: a model folder that translates and shows where it looks.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "decode/search/search_options.h"
#include "models/model_folder.h"
#include "view/attention.h"

namespace attune::demo {

class DemoModel {
 public:
  DemoModel(const std::string& name, const std::filesystem::path& folder, const SearchOptions& search);

  std::vector<std::string> translate(std::span<const std::string> texts) const;

  // The output for a text, with all attention.
  view::Attention look(const std::string& text) const;

 private:
  std::string name_;
  ModelFolder folder_;
  SearchOptions search_;
};

// For the terminal: without the </s> of the output, and with the </s> of the source as narrow as a letter.
view::AttentionMatrix demo_map(const view::Attention& attention);

}  // namespace attune::demo
