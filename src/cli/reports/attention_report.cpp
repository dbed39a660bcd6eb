#include "cli/reports/attention_report.h"

#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "attune/error.h"
#include "cli/reports/translation_report.h"
#include "view/attention_json.h"
#include "view/svg.h"
#include "view/terminal.h"

namespace attune::cli {
namespace {

using view::Attention;

view::AttentionMatrix cross(const Attention& attention, view::AttentionChoice choice) {
  choice.kind = view::AttentionKind::cross;
  return choose(attention, choice);
}

std::string pharaoh(const Attention& attention, const view::AttentionChoice& choice) {
  return hard_alignment(cross(attention, choice).weights, {}) + '\n';
}

std::string soft(const Attention& attention, const view::AttentionChoice& choice) {
  return fmt::format("{} ||| {}\n", attention.target, soft_alignment(cross(attention, choice).weights));
}

int64_t whole_number(const std::string& option, const std::string& word) {
  try {
    size_t end = 0;
    const int64_t number = std::stoll(word, &end);
    if (end == word.size()) return number;
  } catch (const std::exception&) {  // said below
  }
  throw CLI::ValidationError(option, fmt::format("it takes a number or 'all', but '{}' was given", word));
}

}  // namespace

void AttendOutput::add_options(CLI::App& app) {
  app.add_option("--format", format,
                 "terminal, svg, html (a page with everything), json (BertViz's format), soft (Marian's "
                 "alignment), pharaoh")
      ->check(CLI::IsMember({"terminal", "svg", "html", "json", "soft", "pharaoh"}))
      ->capture_default_str();
  app.add_option_function<std::string>(
         "--kind",
         [this](const std::string& word) {
           const auto kinds = enum_names(view::AttentionKind{});
           const auto found = std::ranges::find(kinds, word);
           choice.kind = static_cast<view::AttentionKind>(found - kinds.begin());
         },
         "encoder (source to source), decoder (target to target), cross (target to source) [cross, if the "
         "model has it]")
      ->check(CLI::IsMember({"encoder", "decoder", "cross"}));
  app.add_option_function<std::string>(
      "--layer",
      [this](const std::string& word) {
        if (word == "all")
          all_layers = true;
        else
          choice.layer = whole_number("--layer", word);
      },
      "from 0, or -1, -2, .. from the end, or all [-2, which aligns best]");
  app.add_option_function<std::string>(
      "--head",
      [this](const std::string& word) {
        if (word == "all")
          all_heads = true;
        else
          choice.head = whole_number("--head", word);
      },
      "from 0, or all; html and json have all of them anyway [the mean of all]");
}

void AttendOutput::check(size_t models, bool run) const {
  if (run && format != "html")
    throw UsageError(fmt::format("--run is shown as a page, but --format is {}; add --format html", format));
  if ((all_layers || all_heads) && format != "terminal")
    throw UsageError(
        fmt::format("--layer all and --head all are for the terminal; --format {} {}", format,
                    format == "html" || format == "json" ? "has all of them anyway" : "draws one matrix"));
  if (models > 1 && (format == "svg" || format == "soft" || format == "pharaoh"))
    throw UsageError(
        fmt::format("--format {} shows one model, but {} were given; html compares them", format, models));
}

std::string AttendOutput::maps(const Attention& attention, bool to_terminal) const {
  const view::Colours colours = to_terminal ? view::terminal_colours(STDOUT_FILENO) : view::Colours::none;
  const size_t width = to_terminal ? view::terminal_width(STDOUT_FILENO) : 0;
  std::string text =
      fmt::format("{}: {}{}{}\n\n", attention.model, attention.source,
                  attention.source.empty() || attention.target.empty() ? "" : " → ", attention.target);
  if (attention.layers.empty()) return text + "(nothing to look at)\n";
  const auto layers = layers_of(attention, choice.kind);
  for (const view::AttentionLayer* layer : layers) {
    view::AttentionChoice one = choice;
    if (all_layers || all_heads) one.layer = layer->number;
    if (!all_layers && all_heads) one.layer = choice.layer;
    const size_t heads = all_heads ? layer->matrices() : 1;
    for (size_t h = 0; h < heads; ++h) {
      if (all_heads && !layer->heads.empty()) one.head = layer->heads[h];
      if (all_layers || all_heads)
        text += fmt::format("{} attention{}{}\n", name_of(layer->kind),
                            one.layer ? fmt::format(", layer {}", *one.layer) : "",
                            one.head ? fmt::format(", head {}", *one.head) : ", mean of the heads");
      text += terminal_map(choose(attention, one), colours, width) + '\n';
    }
    if (!all_layers) break;
  }
  return text + terminal_legend(colours) + '\n';
}

// Over what the model read, if it is not words.
std::string AttendOutput::picture(const Attention& attention) const {
  const bool of_source = !choice.kind || *choice.kind != view::AttentionKind::decoder;
  const auto matrix = choose(attention, choice);
  return of_source && !attention.scenes.empty() ? scene_svg(matrix, attention.scenes[0]) : svg(matrix);
}

std::string AttendOutput::text(const view::Page& page, bool to_terminal) const {
  if (format == "html") return view::html(page);
  const auto& sentences = page.sentences;
  if (format == "svg" && sentences.size() != 1)
    throw UsageError(fmt::format("--format svg draws one sentence, but {} were given", sentences.size()));
  std::string all;
  for (const view::PageSentence& sentence : sentences)
    for (const Attention& attention : sentence.models) {
      if (format == "terminal") all.append(all.empty() ? "" : "\n").append(maps(attention, to_terminal));
      if (format == "svg") all += picture(attention);
      if (format == "json") all += head_view_json(attention) + '\n';
      if (format == "soft") all += soft(attention, choice);
      if (format == "pharaoh") all += pharaoh(attention, choice);
    }
  return all;
}

}  // namespace attune::cli
