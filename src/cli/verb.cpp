#include "cli/verb.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <new>
#include <system_error>

#include "attune/error.h"
#include "base/ascii.h"
#include "base/registry.h"
#include "base/say.h"
#include "base/stop_signal.h"
#include "cli/failure.h"
#include "cli/job.h"
#include "cli/standard_output.h"
#include "config/foreign_keys.h"
#include "view/page.h"

namespace attune::cli {
namespace {

enum ExitCode { kDone = 0, kFailed = 1, kWrongUse = 2, kInterrupted = 130 };

#ifdef ATTUNE_FIRST_LOOK
constexpr const char* kOtherVerbs =
    "\nThis attune is for a first look. `./run build` makes one with all verbs: build/release/attune";
#else
constexpr const char* kOtherVerbs = "";
#endif

Registry<Verb>& registry() {
  static Registry<Verb> verbs("verb");
  return verbs;
}

const Verb& find_verb(std::string_view name) {
  if (const Verb* verb = registry().find(name)) return *verb;
  throw UsageError(
      fmt::format("unknown verb '{}'{}{}", name, did_you_mean(name, registry().names()), kOtherVerbs));
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

// Whether `--recipe` names what is given as RECIPE.
bool is_positional(const CLI::App& app, std::string_view option) {
  option.remove_prefix(std::min(option.find_first_not_of('-'), option.size()));
  return std::ranges::any_of(app.get_options(), [&](const CLI::Option* each) {
    return each->get_positional() && same_but_for_case(each->get_name(true), option);
  });
}

std::string unexpected(const CLI::App& app, std::string_view argument) {
  if (!argument.starts_with('-')) return fmt::format("unexpected argument '{}'", argument);
  const std::string_view name = argument.substr(0, argument.find('='));
  if (is_positional(app, name)) return fmt::format("unknown option '{}': it is given without a name", name);
  const std::string foreign = foreign_key_advice(name);
  return fmt::format("unknown option '{}'{}", name,
                     foreign.empty() ? did_you_mean(name, option_names(app)) : foreign);
}

void run_verb(const Verb& verb, int argc, const char* const* argv) {
  CLI::App app(verb.help, "attune " + verb.name);
  app.option_defaults()->always_capture_default();
  app.get_formatter()->column_width(36);
  const Action action = verb.set_up(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", app.help());
    return;
  } catch (const CLI::ParseError& error) {
    const std::vector<std::string> rest = app.remaining();
    throw UsageError(verb.name + ": " + (rest.empty() ? error.what() : unexpected(app, rest.front())));
  }
  action();
}

std::string help_text() {
  std::string text =
      "Trains, runs, measures and shows sequence-to-sequence models with attention, on CPUs\n\n";
  text += "usage: attune VERB [options]\n";
  for (const Verb& verb : verbs()) text += fmt::format("  {:<12} {}\n", verb.name, verb.help);
  text += "\n`attune VERB --help` shows the options of a verb, `attune --version` the version.";
  return text + kOtherVerbs + "\n";
}

void dispatch(int argc, const char* const* argv) {
  const std::string_view first = argc > 1 ? argv[1] : "";
  if (first == "--help" || first == "-h" || first == "help")
    fmt::print("{}", help_text());
  else if (first == "--version")
    fmt::print("attune {}\nbuilt by {}, {}, {} MPI, {} pages\n", ATTUNE_VERSION, ATTUNE_COMPILER,
               ATTUNE_BUILD, has_mpi() ? "with" : "without", view::has_pages() ? "with" : "without");
  else if (first.empty())
    throw UsageError("no verb was given\n\n" + help_text());
  else
    run_verb(find_verb(first), argc - 1, argv + 1);
}

}  // namespace

RegisterVerb::RegisterVerb(Verb verb) { registry().add(std::move(verb)); }

const std::vector<Verb>& verbs() { return registry().entries(); }

std::string message_of(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return "out of memory";
  const auto* of_system = dynamic_cast<const std::system_error*>(&error);
  if (of_system != nullptr && of_system->code() == std::errc::resource_unavailable_try_again)
    return "the system allows no more threads; use fewer (--cpu-threads), or raise its limits (`ulimit -a`)";
  return error.what();
}

int exit_code_of(const std::exception& error) {
  if (dynamic_cast<const Interrupted*>(&error) != nullptr) return kInterrupted;
  return dynamic_cast<const UsageError*>(&error) != nullptr ? kWrongUse : kFailed;
}

int run(int argc, const char* const* argv) {
  try {
    dispatch(argc, argv);
    finish_output();
    return kDone;
  } catch (const std::exception& error) {
    const int code = exit_code_of(error);
    if (code != kInterrupted) say(fmt::format("attune: {}\n", message_of(error)));
    return code;
  }
}

}  // namespace attune::cli
