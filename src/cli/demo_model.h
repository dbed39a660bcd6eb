// DemoModel: a model folder that translates and shows where it looks.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "decode/translator.h"
#include "models/model_folder.h"
#include "view/page.h"

namespace attune::cli {

class DemoModel {
 public:
  DemoModel(const std::filesystem::path& folder, const SearchOptions& search);

  std::vector<std::string> translate(std::span<const std::string> texts) const;

  // The output for a text and the attention that it came from.
  view::Panel look(const std::string& name, const std::string& text) const;

 private:
  Translator translator(bool alignment) const;

  ModelFolder folder_;
  SearchOptions search_;
};

}  // namespace attune::cli
