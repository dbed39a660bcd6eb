// attune attend: what a model looks at.
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>

#include "attune/error.h"
#include "base/line_reader.h"
#include "cli/options/model_options.h"
#include "cli/options/search_options.h"
#include "cli/reports/attention_report.h"
#include "cli/standard_output.h"
#include "cli/verb.h"
#include "folder/head_ablation.h"
#include "io/files/file.h"
#include "look/attention_aligner.h"
#include "look/run_record.h"
#include "text/alignment/symmetrize.h"
#include "text/utf8.h"
#include "view/gradients.h"
#include "view/svg.h"
#include "view/terminal.h"

namespace attune::cli {
namespace {

struct Options {
  explicit Options(CLI::App& app) : search(app) {}

  std::vector<std::string> models, ablate;
  std::string run, target_language;
  std::optional<std::string> source, target;
  AttendOutput output;
  std::string file;
  bool words = false, numbers = false, gradients = false;
  SearchOptionsOfVerb search;
};

struct Input {
  std::string source;
  std::optional<std::string> target;
};

Input checked(Input input, const std::string& where) {
  for (const std::string* text : {&input.source, input.target ? &*input.target : nullptr}) {
    if (text == nullptr) continue;
    if (const auto invalid = find_invalid_utf8(*text))
      throw UsageError(fmt::format("{}: byte {} is not UTF-8", where, *invalid + 1));
    if (const size_t nul = text->find('\0'); nul != std::string::npos)
      throw UsageError(fmt::format("{}: byte {} is NUL", where, nul + 1));
  }
  return input;
}

// What the options say, or the lines of stdin: a source, or a source, a tab and a target. Several sources
// have tabs between them, too.
std::vector<Input> inputs(const Options& options, size_t sources) {
  if (options.source || options.target)
    return {checked({options.source.value_or(""), options.target}, "--source and --target")};
  std::vector<Input> all;
  LineReader reader(STDIN_FILENO);
  for (auto lines = reader.next(1); !lines.empty(); lines = reader.next(1)) {
    size_t tab = lines[0].find('\t');
    for (size_t i = 1; i < sources && tab != std::string::npos; ++i) tab = lines[0].find('\t', tab + 1);
    Input input{lines[0].substr(0, tab), {}};
    if (tab != std::string::npos) input.target = lines[0].substr(tab + 1);
    all.push_back(checked(std::move(input), fmt::format("line {}", all.size() + 1)));
  }
  return all;
}

// The last names of paths, with as many folders before them as it takes to tell them apart.
std::vector<std::string> short_names(const std::vector<std::string>& paths) {
  std::vector<std::filesystem::path> rest;
  for (const std::string& path : paths) {
    const auto normal = std::filesystem::absolute(path).lexically_normal();
    rest.push_back(normal.has_filename() ? normal : normal.parent_path());
  }
  std::vector<std::filesystem::path> names(paths.size());
  for (bool again = true; again;) {
    again = false;
    const auto before = names;
    for (size_t i = 0; i < names.size(); ++i) {
      if (!names[i].empty() && (std::ranges::count(before, before[i]) < 2 || !rest[i].has_filename()))
        continue;
      names[i] = names[i].empty() ? rest[i].filename() : rest[i].filename() / names[i];
      rest[i] = rest[i].parent_path();
      again = true;
    }
  }
  std::vector<std::string> texts;
  for (const auto& name : names) texts.push_back(name.string());
  return texts;
}

// Of these inputs, or else of those that the options say.
view::Page page_of(const Options& options, std::vector<Input> given = {}) {
  if (options.models.empty() && options.run.empty())
    throw UsageError("give a model with -m, or a training run with --run");
  options.output.check(options.models.size(), !options.run.empty());
  if (options.gradients && (options.output.choice.layer || options.output.choice.head))
    throw UsageError("--gradients go through the whole model; leave out --layer and --head");
  view::Page page;
  if (!options.run.empty()) page.runs.push_back(run_record(options.run, short_names({options.run})[0]));
  if (options.models.empty()) return page;
  // A page is for others: it does not tell where the folders lie.
  const std::vector<std::string> names =
      options.output.format == "html" ? short_names(options.models) : options.models;
  std::vector<AttentionProbe> probes;
  size_t sources = 1;
  for (size_t i = 0; i < options.models.size(); ++i) {
    const ModelFolder folder = ModelFolder(options.models[i]).towards(options.target_language);
    sources = std::max(sources, folder.vocabularies().source->parts().size());
    probes.push_back(folder.prober({.name = names[i],
                                    .search = options.search.read(folder),
                                    .head = options.output.choice.head,
                                    .numbers = options.numbers,
                                    .matrices = options.output.choice,
                                    .gradients = options.gradients}));
  }
  if (given.empty()) given = inputs(options, sources);
  for (const Input& input : given) {
    view::PageSentence& sentence = page.sentences.emplace_back();
    for (const AttentionProbe& probe : probes) {
      view::Attention seen = probe.look(input.source, input.target);
      if (options.words) seen = view::merged_words(seen);
      if (options.gradients && options.output.draws_matrices()) view::show_gradients(seen);
      sentence.models.push_back(std::move(seen));
    }
  }
  return page;
}

// A line of links for each input. They count words as the text has them, so that training can be guided.
std::string word_links(const Options& options) {
  if (options.models.empty()) throw UsageError("give a model with -m");
  options.output.check(options.models.size(), !options.run.empty());
  const std::string& path = options.models[0];
  const ModelFolder folder = ModelFolder(path).towards(options.target_language);
  folder.require_source();
  const AttentionAligner aligner(
      folder.prober(
          {.name = path, .search = options.search.read(folder), .head = options.output.choice.head}),
      folder.vocabularies(), options.output.choice);
  std::string lines;
  for (const Input& input : inputs(options, 1)) {
    const LikeliestWords words = aligner.align(input.source, input.target);
    lines += pharaoh(symmetrize(words.of_targets, words.of_sources, Symmetry::forward)) + '\n';
  }
  return lines;
}

std::vector<std::string> lines_of(const std::string& file) {
  std::vector<std::string> lines;
  const std::string content = read_file(file);
  for (size_t begin = 0; begin < content.size();) {
    const size_t end = std::min(content.find('\n', begin), content.size());
    lines.push_back(content.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

// A row for each attention, a column for each head; the lighter, the more the model loses without it.
view::AttentionMatrix map_of(const std::vector<AblatedHead>& heads) {
  view::AttentionMatrix map;
  double most = 0;
  for (const AblatedHead& each : heads) most = std::max(most, each.loss);
  for (const AblatedHead& each : heads) {
    const std::string name = weights_name(each.where);
    if (map.targets.empty() || map.targets.back() != name) {
      map.targets.push_back(name);
      map.weights.emplace_back();
    }
    if (map.targets.size() == 1) map.sources.push_back(std::to_string(each.head));
    map.weights.back().push_back(most > 0 ? static_cast<float>(std::max(0.0, each.loss) / most) : 0);
  }
  return map;
}

std::vector<view::LayerImportance> importance_of(const std::vector<AblatedHead>& heads) {
  std::vector<view::LayerImportance> layers;
  for (const auto& [where, head, loss] : heads) {
    const auto kind = where.kind == AttentionName::cross      ? view::AttentionKind::cross
                      : where.stack == AttentionName::encoder ? view::AttentionKind::encoder
                                                              : view::AttentionKind::decoder;
    if (head == 0) layers.push_back({.kind = kind, .number = where.layer});
    layers.back().losses.push_back(loss);
  }
  return layers;
}

// Head importance: a table, a picture of it, or a page that shows it beside the heads.
std::string ablation(const Options& options) {
  if (options.models.size() != 1) throw UsageError("--ablate is for one model; give it with -m");
  if (const std::string& format = options.output.format;
      format != "terminal" && format != "svg" && format != "html")
    throw UsageError(fmt::format("--ablate writes a table, --format svg or --format html, not {}", format));
  std::vector<std::vector<std::string>> columns, lines;
  for (const std::string& file : options.ablate) columns.push_back(lines_of(file));
  for (const auto& column : columns)
    if (column.size() != columns[0].size())
      throw UsageError(fmt::format("{} has {} lines, but {} has {}", options.ablate[0], columns[0].size(),
                                   options.ablate[1], column.size()));
  for (size_t i = 0; i < columns[0].size(); ++i) {
    auto& line = lines.emplace_back();
    for (const auto& column : columns) line.push_back(column[i]);
  }
  auto heads = ablate_heads(options.models[0], lines);
  if (options.output.format == "html") {
    // Heads are shown with a sentence: the one that is named, or the first of the test set.
    std::vector<Input> first;
    if (!options.source) {
      const auto& line = lines[0];
      const std::span sources(line.data(), std::max<size_t>(1, line.size() - 1));
      first.push_back({fmt::format("{}", fmt::join(sources, "\t")), {}});
    }
    view::Page page = page_of(options, std::move(first));
    for (view::PageSentence& sentence : page.sentences) sentence.models[0].importance = importance_of(heads);
    page.opens = "model";
    return view::html(page) + '\n';
  }
  const view::AttentionMatrix map = map_of(heads);
  if (options.output.format == "svg") return svg(map);
  std::string text = "attention\thead\tloss\n";
  std::ranges::stable_sort(heads, std::greater(), &AblatedHead::loss);
  for (const auto& [where, head, loss] : heads)
    text += fmt::format("{}\t{}\t{:.4f}\n", weights_name(where), head, loss);
  const bool shown = options.file.empty() && isatty(STDOUT_FILENO) != 0;
  if (shown)
    text +=
        '\n' + terminal_map(map, view::terminal_colours(STDOUT_FILENO), view::terminal_width(STDOUT_FILENO));
  return text;
}

void run(const Options& options) {
  const std::string text = !options.ablate.empty() ? ablation(options)
                           : options.words && options.output.format == "pharaoh"
                               ? word_links(options)
                               : options.output.text(page_of(options), options.file.empty());
  if (!options.file.empty()) {
    write_output_file(options.file, text);
    return;
  }
  put(text);
}

Action set_up(CLI::App& app) {
  auto options = std::make_shared<Options>(app);
  app.footer(
      "  attune attend -m runs/en-de 'The cat sat on the mat.'\n"
      "  attune attend -m runs/en-de --source 'The cat' --target 'Die Katze' --layer 2 --head 3\n"
      "  attune attend -m runs/rnn -m runs/transformer --format html -o attention.html < lines.txt\n"
      "  attune attend --run runs/en-de --format html -o training.html");
  app.add_option("-m,--model", options->models,
                 "model folder, or folder of a run; several are shown side by side")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  add_target_language(app, options->target_language);
  app.add_option("--run", options->run, "folder of a training run, for its curves; html only");
  app.add_option(
      "--source,source", options->source,
      "what the model reads; without it: the lines of stdin, each a source, or a source, a tab and "
      "a target");
  app.add_option("--target", options->target,
                 "text that the model is made to write; without it: the result of its search");
  options->output.add_options(app);
  auto* words = app.add_flag(
      "--words", options->words,
      "merge pieces into words: weights are summed over the word that is looked at and averaged over the "
      "word that looks; --format pharaoh then counts words as the text has them, without </s>");
  app.add_flag("--numbers", options->numbers,
               "html: with queries, keys, values, states, gates, and the matrices of the head that --kind, "
               "--layer and --head choose, for the arithmetic of each cell; makes the page larger")
      ->excludes(words);
  app.add_flag(
      "--gradients", options->gradients,
      "gradient x input instead of attention: how much each token that was read did for each one that "
      "was written, to first order, as shares of a row; html and json have both");
  app.add_option(
         "--ablate", options->ablate,
         "files of a test set: how much worse its tokens become (in nats) without each head; a table, a "
         "picture by --format svg, or by --format html a page that shows it beside the heads")
      ->expected(1, 3);
  app.add_option("-o,--output", options->file, "file to write; without it: stdout");
  options->search.add_options(
      {"alignment", "n_best", "attention_layer", "attention_head", "shortlist", "unk"});
  return [options] { run(*options); };
}

const RegisterVerb registered{{"attend", "show what a model looks at: terminal, SVG, HTML, JSON", set_up}};

}  // namespace
}  // namespace attune::cli
