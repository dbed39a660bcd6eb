// How `attune attend` writes attention.
#pragma once

#include <string>

#include "view/page.h"

namespace CLI {
class App;
}

namespace attune::cli {

struct AttendOutput {
  std::string format = "terminal";
  view::AttentionChoice choice;
  bool all_layers = false, all_heads = false;  // terminal

  void add_options(CLI::App& app);
  // As opposed to formats that hold everything.
  bool draws_matrices() const { return format != "html" && format != "json"; }
  // A UsageError if that many models, or a run, cannot be shown.
  void check(size_t models, bool run) const;
  // Ends with a newline. `to_terminal`: it goes to stdout, with the colours that stdout supports.
  std::string text(const view::Page& page, bool to_terminal) const;

 private:
  std::string maps(const view::Attention& attention, bool to_terminal) const;
  std::string picture(const view::Attention& attention) const;
};

}  // namespace attune::cli
