#include "cli/manual/completion.h"

#include <fmt/ranges.h>

namespace attune::cli {
namespace {

// In single quotes; texts may have some themselves.
std::string in_quotes(std::string_view text) {
  std::string all = "'";
  for (const char c : text) {
    if (c == '\'')
      all += "'\\''";
    else if (c != '\n')
      all += c;
  }
  return all + "'";
}

std::vector<std::string> option_names(const DescribedVerb& verb) {
  std::vector<std::string> names;
  for (const DescribedOption& option : verb.options)
    if (!option.positional) names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

std::vector<std::string> verb_names(std::span<const DescribedVerb> verbs) {
  std::vector<std::string> names;
  for (const DescribedVerb& verb : verbs) names.push_back(verb.name);
  return names;
}

// ---- bash: what is complete goes into COMPREPLY; where there is nothing, `-o default` offers files.
std::string bash(std::span<const DescribedVerb> verbs) {
  std::string options, words;
  for (const DescribedVerb& verb : verbs) {
    options += fmt::format("    {}) options='{}' ;;\n", verb.name, fmt::join(option_names(verb), " "));
    for (const DescribedOption& option : verb.options) {
      if (option.choices.empty() || option.positional) continue;
      std::vector<std::string> cases;
      for (const std::string& name : option.names) cases.push_back(verb.name + " " + name);
      words += fmt::format("    {}) words={} ;;\n", fmt::format("'{}'", fmt::join(cases, "'|'")),
                           in_quotes(fmt::format("{}", fmt::join(option.choices, " "))));
    }
  }
  return fmt::format(R"(# bash completion of attune
_attune() {{
  local verb=${{COMP_WORDS[1]}} current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} options= words=
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W '{} --help --version' -- "$current"))
    return
  fi
  case "$verb $before" in
{}  esac
  if [[ -n $words ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    return
  fi
  [[ $current == -* ]] || return
  case $verb in
{}  esac
  COMPREPLY=($(compgen -W "$options" -- "$current"))
}}
complete -o default -F _attune attune
)",
                     fmt::join(verb_names(verbs), " "), words, options);
}

// ---- zsh: _arguments takes 'names[help]:what:completer'.
std::string zsh_escaped(std::string_view text) {
  std::string all;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') all += '\\';
    all += c;
  }
  return all;
}

std::string zsh_option(const DescribedOption& option) {
  const std::string completer =
      option.choices.empty() ? "_files" : fmt::format("({})", fmt::join(option.choices, " "));
  if (option.positional)
    return in_quotes(
        fmt::format("{}:{}:{}", option.list ? "*" : "", zsh_escaped(option.names[0]), completer));
  std::string all;
  for (const std::string& name : option.names) {
    std::string one = fmt::format("{}{}[{}]", option.list ? "*" : "", name, zsh_escaped(option.help));
    if (!option.value.empty()) one += fmt::format(":{}:{}", zsh_escaped(option.value), completer);
    all += (all.empty() ? "" : " ") + in_quotes(one);
  }
  return all;
}

std::string zsh(std::span<const DescribedVerb> verbs) {
  std::string names, cases;
  for (const DescribedVerb& verb : verbs) {
    names += "    " + in_quotes(verb.name + ":" + zsh_escaped(verb.help)) + "\n";
    cases += fmt::format("    {})\n      _arguments", verb.name);
    for (const DescribedOption& option : verb.options) cases += " \\\n        " + zsh_option(option);
    cases += "\n      ;;\n";
  }
  return fmt::format(R"(#compdef attune
# zsh completion of attune
_attune() {{
  local -a verbs=(
{}  )
  if ((CURRENT == 2)); then
    _describe verb verbs
    return
  fi
  local verb=$words[2]
  shift words
  ((CURRENT--))
  case $verb in
{}  esac
}}
_attune "$@"
)",
                     names, cases);
}

// ---- fish
std::string fish(std::span<const DescribedVerb> verbs) {
  std::string all = "# fish completion of attune\n";
  for (const DescribedVerb& verb : verbs)
    all += fmt::format("complete -c attune -n __fish_use_subcommand -f -a {} -d {}\n", verb.name,
                       in_quotes(verb.help));
  for (const DescribedVerb& verb : verbs)
    for (const DescribedOption& option : verb.options) {
      if (option.positional) continue;
      all += fmt::format("complete -c attune -n '__fish_seen_subcommand_from {}'", verb.name);
      for (const std::string& name : option.names)
        all += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (!option.choices.empty())
        all += " -x -a " + in_quotes(fmt::format("{}", fmt::join(option.choices, " ")));
      else if (!option.value.empty())
        all += " -r";
      all += " -d " + in_quotes(option.help) + "\n";
    }
  return all;
}

}  // namespace

std::string completion(std::string_view shell, std::span<const DescribedVerb> verbs) {
  if (shell == "bash") return bash(verbs);
  return shell == "zsh" ? zsh(verbs) : fish(verbs);
}

}  // namespace attune::cli
