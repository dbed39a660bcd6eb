#include "cli/reports/translation_report.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "attune/error.h"

namespace attune::cli {
namespace {

using nlohmann::json;

std::optional<float> threshold_of(const std::string& alignment) {
  if (alignment == "hard") return {};
  return std::stof(alignment);
}

// With </s> on both sides, as in Marian.
std::string alignment_text(const Hypothesis& hypothesis, const std::string& kind) {
  const AlignmentRows rows = hypothesis.alignment;
  return kind == "soft" ? soft_alignment(rows) : hard_alignment(rows, threshold_of(kind));
}

// Joins the alignments of all parts into one of the whole line, in which only the last part has </s>. The
// weights of a part's tokens come after zeros for the parts before.
std::vector<std::vector<float>> joined_alignment(std::span<const std::vector<Hypothesis>> outputs) {
  std::vector<std::vector<float>> all;
  size_t before = 0;
  for (const auto& hypotheses : outputs) {
    const Hypothesis& best = hypotheses[0];
    if (best.alignment.empty()) continue;
    const bool last = &hypotheses == &outputs.back();
    const size_t sources = best.alignment[0].size() - (last ? 0 : 1),
                 targets = last ? best.alignment.size() : best.words.size();
    for (size_t t = 0; t < targets; ++t) {
      std::vector<float>& row = all.emplace_back(before, 0.0F);
      row.insert(row.end(), best.alignment[t].begin(),
                 best.alignment[t].begin() + static_cast<std::ptrdiff_t>(sources));
    }
    before += sources;
  }
  for (auto& row : all) row.resize(before, 0.0F);
  return all;
}

// The best outputs of all parts, and their data, joined into one.
Hypothesis joined(std::span<const std::vector<Hypothesis>> outputs) {
  Hypothesis all;
  all.ended = true;
  for (const auto& hypotheses : outputs) {
    const Hypothesis& best = hypotheses[0];
    all.words.insert(all.words.end(), best.words.begin(), best.words.end());
    all.word_scores.insert(all.word_scores.end(), best.word_scores.begin(), best.word_scores.end());
    all.score += best.score;
    all.normalised += best.normalised;
    all.ended = all.ended && best.ended;
  }
  all.alignment = joined_alignment(outputs);
  return all;
}

std::string joined_text(const Translator& translator, const TranslatedLine& line) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < line.outputs.size(); ++i)
    texts.push_back(translator.text(line.outputs[i][0], line.inputs[i]));
  return join_outputs(line.parts, texts);
}

json json_of(const Translator& translator, const Hypothesis& hypothesis, const std::string& text) {
  json object{{"text", text},
              {"score", hypothesis.score},
              {"normalised", hypothesis.normalised},
              {"ended", hypothesis.ended},
              {"tokens", translator.pieces(hypothesis)},
              {"word_scores", hypothesis.word_scores}};
  if (!hypothesis.alignment.empty()) object["attention"] = hypothesis.alignment;
  return object;
}

}  // namespace

std::string hard_alignment(AlignmentRows rows, std::optional<float> threshold) {
  std::vector<std::pair<size_t, size_t>> pairs;
  for (size_t target = 0; target < rows.size(); ++target) {
    const auto& weights = rows[target];
    if (!threshold) pairs.emplace_back(std::ranges::max_element(weights) - weights.begin(), target);
    for (size_t source = 0; threshold && source < weights.size(); ++source)
      if (weights[source] >= *threshold) pairs.emplace_back(source, target);
  }
  std::ranges::sort(pairs);
  std::string text;
  for (const auto& [source, target] : pairs)
    text += fmt::format("{}{}-{}", text.empty() ? "" : " ", source, target);
  return text;
}

std::string scores_text(std::span<const double> word_scores) {
  std::string text = "WordScores=";
  for (const double score : word_scores) text += fmt::format(" {:.4f}", score);
  return text;
}

std::string soft_alignment(AlignmentRows rows) {
  std::string text;
  for (const auto& weights : rows) {
    if (!text.empty()) text += ' ';
    for (size_t i = 0; i < weights.size(); ++i)
      text += fmt::format("{}{:.6g}", i == 0 ? "" : ",", weights[i]);
  }
  return text;
}

void OutputFormat::add_options(CLI::App& app) {
  app.add_option("--n-best", count,
                 "write this many outputs for each line; without a number, as many as the beam size")
      ->expected(0, 1)
      ->default_str("0");
  app.add_option("--alignment", alignment,
                 "write which source tokens each token came from: hard, soft, or a threshold")
      ->expected(0, 1)
      ->default_str("hard")
      ->check([](const std::string& word) -> std::string {
        if (word == "hard" || word == "soft") return "";
        char* end = nullptr;
        const double value = std::strtod(word.c_str(), &end);
        return *end == 0 && value >= 0 && value <= 1 ? ""
                                                     : "it takes hard, soft, or a threshold between 0 and 1";
      });
  app.add_flag("--word-scores", word_scores, "write the log probability of each token");
  app.add_flag("--json", json, "write one JSON object per line, with everything that was asked for");
}

std::string OutputFormat::line(const Translator& translator, const TranslatedLine& line) const {
  const bool whole = line.outputs.size() == 1;  // a line in several parts has only the best of each
  if (json) {
    nlohmann::json outputs = nlohmann::json::array();
    if (whole)
      for (const Hypothesis& h : line.outputs[0])
        outputs.push_back(json_of(translator, h, translator.text(h, line.inputs[0])));
    else
      outputs.push_back(json_of(translator, joined(line.outputs), joined_text(translator, line)));
    std::vector<std::string> source_tokens;
    for (const TranslatorInput& input : line.inputs)
      for (std::string& piece : translator.source_pieces(input)) source_tokens.push_back(std::move(piece));
    return nlohmann::json{{"line", line.number},
                          {"source", line.source},
                          {"source_tokens", source_tokens},
                          {"outputs", outputs}}
               .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) +
           "\n";
  }
  const auto with_extras = [&](std::string text, const Hypothesis& hypothesis) {
    if (needs_alignment()) text += " ||| " + alignment_text(hypothesis, alignment);
    if (word_scores) text += " ||| " + scores_text(hypothesis.word_scores);
    return text;
  };
  if (!n_best())
    return with_extras(line.outputs.empty() ? line.source : joined_text(translator, line),
                       joined(line.outputs)) +
           "\n";
  std::string lines;
  const auto add = [&](const Hypothesis& hypothesis, const std::string& text) {
    lines += fmt::format("{} ||| {} ||| F0= {:.6g} ||| {:.6g}\n", line.number, with_extras(text, hypothesis),
                         hypothesis.score, hypothesis.normalised);
  };
  if (whole)
    for (const Hypothesis& h : line.outputs[0]) add(h, translator.text(h, line.inputs[0]));
  else
    add(joined(line.outputs), line.outputs.empty() ? line.source : joined_text(translator, line));
  return lines;
}

}  // namespace attune::cli
