#include "cli/manual/man_page.h"

#include <fmt/format.h>

#include <sstream>

namespace attune::cli {
namespace {

// Backslashes, hyphens (which would become another sign) and dots and quotes that begin a line mean something
// in troff.
std::string escaped(std::string_view text) {
  std::string all;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) all += "\\&";
    if (c == '\\')
      all += "\\e";
    else if (c == '-')
      all += "\\-";
    else
      all += c;
    line_begins = c == '\n';
  }
  return all;
}

std::string head(const std::string& name, const std::string& version) {
  return fmt::format(".TH \"{}\" 1 \"\" \"attune {}\" \"attune\"\n", name, version);
}

std::string names_of(const DescribedOption& option) {
  std::string names;
  for (const std::string& name : option.names)
    names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", escaped(name));
  return option.positional || option.value.empty()
             ? names
             : fmt::format("{} \\fI{}\\fR", names, escaped(option.value));
}

std::string described(const DescribedOption& option) {
  std::string text = fmt::format(".TP\n{}\n{}", names_of(option), escaped(option.help));
  if (option.required) text += "; required";
  if (!option.default_text.empty()) text += fmt::format(" [{}]", escaped(option.default_text));
  return text + "\n";
}

std::string synopsis(const DescribedVerb& verb) {
  std::string text = fmt::format(".SH SYNOPSIS\n\\fBattune {}\\fR [\\fIOPTIONS\\fR]", escaped(verb.name));
  for (const DescribedOption& option : verb.options)
    if (option.positional)
      text += fmt::format(" {}\\fI{}\\fR{}{}", option.required ? "" : "[", escaped(option.names[0]),
                          option.list ? " ..." : "", option.required ? "" : "]");
  return text + "\n";
}

std::string examples(const std::string& footer) {
  return footer.empty() ? "" : fmt::format(".SH EXAMPLES\n.nf\n{}\n.fi\n", escaped(footer));
}

constexpr const char* kEnds =
    ".SH EXIT STATUS\n0: done; 1: the work failed; 2: wrong use or bad input; 130: interrupted.\n";

}  // namespace

std::string man_page(std::span<const DescribedVerb> verbs, const std::string& version) {
  std::string text =
      head("ATTUNE", version) +
      ".SH NAME\nattune \\- train, run, measure, show and serve sequence\\-to\\-sequence models with "
      "attention, on CPUs\n.SH SYNOPSIS\n\\fBattune\\fR \\fIVERB\\fR [\\fIOPTIONS\\fR]\n.SH VERBS\n";
  for (const DescribedVerb& verb : verbs)
    text += fmt::format(".TP\n\\fB{}\\fR\n{}\n", escaped(verb.name), escaped(verb.help));
  text += kEnds;
  text += ".SH SEE ALSO\n";
  for (size_t i = 0; i < verbs.size(); ++i)
    text += fmt::format(".BR attune\\-{} (1){}\n", escaped(verbs[i].name), i + 1 < verbs.size() ? "," : "");
  return text;
}

std::string man_page(const DescribedVerb& verb, const std::string& version) {
  std::string text = head("ATTUNE-" + verb.name, version) +
                     fmt::format(".SH NAME\nattune\\-{} \\- {}\n", escaped(verb.name), escaped(verb.help)) +
                     synopsis(verb) + ".SH OPTIONS\n";
  std::string group = "Options";
  for (const DescribedOption& option : verb.options) {
    if (!option.positional && option.group != group) {
      group = option.group;
      text += fmt::format(".SS {}\n", escaped(group));
    }
    text += described(option);
  }
  return text + examples(verb.footer) + kEnds + ".SH SEE ALSO\n.BR attune (1)\n";
}

}  // namespace attune::cli
