// Verb: one word of the command line. A verb is one file that registers itself:
//
//   Action set_up(CLI::App& app) {
//     auto options = std::make_shared<Options>();
//     app.add_option("--beam-size", options->beam_size, "hypotheses kept");
//     return [options] { run(*options); };
//   }
//   const RegisterVerb registered{{"translate", "translate stdin to stdout", set_up}};
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace attune::cli {

// What a verb does once its options are read. It throws UsageError for wrong use or bad input, and Error if
// the work fails.
using Action = std::function<void()>;

struct Verb {
  std::string name, help;
  Action (*set_up)(CLI::App&);  // adds the verb's options
};

struct RegisterVerb {
  explicit RegisterVerb(Verb verb);
};

// Sorted by name.
const std::vector<Verb>& verbs();

// Reads the command line and runs its verb; returns the exit code.
int run(int argc, const char* const* argv);

}  // namespace attune::cli
