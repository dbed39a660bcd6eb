// A page that needs no server: the engine (wasm/) and models are in it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "view/page.h"

namespace attune::view {

struct LocalModel {
  struct File {
    std::string name, bytes;
  };
  std::string name;            // of its folder in the page
  std::string source, target;  // language codes; empty: the folder says them
  std::vector<File> files;     // of its folder
};

struct LocalPage {
  BothLanguages title = {}, text = {};
  std::vector<LocalModel> models = {};
  bool training = false;        // with the view in which models learn
  int64_t characters = 10'000;  // of a text
};

bool has_engine();
void require_engine();  // a UsageError if this build has none

std::string local_html(const LocalPage& page);

}  // namespace attune::view
