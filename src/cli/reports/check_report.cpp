#include "cli/reports/check_report.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

#include "base/readable.h"
#include "text/utf8.h"

namespace attune::cli {
namespace {

using Json = nlohmann::ordered_json;
using Origin = VocabularyReport::Origin;

constexpr size_t kShownMissing = 10, kListedMissing = 100;  // in the text and in the document

const char* name_of(Severity severity) {
  return severity == Severity::error ? "error" : severity == Severity::warning ? "warning" : "note";
}

double share(int64_t part, int64_t all) {
  return static_cast<double>(part) / static_cast<double>(std::max<int64_t>(all, 1));
}

// ---- Text

std::string padded(const std::string& text, size_t width) {
  return text + std::string(width - std::min(width, count_code_points(text)), ' ');
}

// Tasks with a mask or a class have three sides, of which the first is the text.
std::string tokens_of(const ExampleReport& examples) {
  if (examples.tokens.empty()) return "0 tokens";
  if (examples.tokens.size() == 2)
    return fmt::format("{} + {} tokens", grouped(examples.tokens[0]), grouped(examples.tokens[1]));
  return grouped(examples.tokens[0]) + " tokens";
}

std::string data(const char* title, const DataReport& report) {
  if (report.columns.empty()) return "";
  std::string text = fmt::format("{}\n", title);
  size_t width = 0;
  for (const CheckedColumn& column : report.columns) width = std::max(width, count_code_points(column.path));
  for (const CheckedColumn& column : report.columns)
    text += fmt::format("  {}  {:>11} lines   longest {} characters\n", padded(column.path, width),
                        grouped(column.text.lines), grouped(column.text.longest));
  const ExampleReport& e = report.examples;
  if (e.kept + e.empty + e.too_long == 0) return text + '\n';
  text += fmt::format("  {} examples, {}, longest {}", grouped(e.kept), tokens_of(e), grouped(e.longest));
  if (e.empty + e.too_long > 0)
    text += fmt::format("; left out: {} empty, {} too long", grouped(e.empty), grouped(e.too_long));
  return text + "\n\n";
}

std::string coverage(const char* what, const Coverage& coverage) {
  if (coverage.tokens == 0) return "";
  std::string text =
      fmt::format("  {:<10}  {} unknown", what, percentage(share(coverage.unknown, coverage.tokens)));
  if (coverage.bytes > 0)
    text += fmt::format(", {} bytes of rare characters", percentage(share(coverage.bytes, coverage.tokens)));
  if (coverage.lines < coverage.of_lines)
    text += fmt::format(" in {} of {} lines", grouped(coverage.lines), grouped(coverage.of_lines));
  std::vector<std::string> missing;
  for (const auto& [token, count] : coverage.missing)
    if (missing.size() < kShownMissing) missing.push_back(fmt::format("{} ({})", token, grouped(count)));
  if (!missing.empty()) text += fmt::format(": {}", fmt::join(missing, " "));
  return text + (coverage.missing.size() > missing.size() ? " ...\n" : "\n");
}

std::string vocabularies(const CheckReport& report) {
  std::string text;
  for (const VocabularyReport& v : report.vocabularies) {
    const char* origin = v.origin == Origin::made         ? " (made in memory; training will write it)"
                         : v.origin == Origin::pretrained ? " (from the pretrained model)"
                                                          : "";
    text += fmt::format("Vocabulary{}\n  {}: {}, {} tokens{}\n", v.labels ? " of labels" : "", v.path,
                        attune::name_of(v.kind), grouped(v.size), origin);
    text += coverage("training", v.training) + coverage("validation", v.validation) + '\n';
  }
  return text;
}

std::string time_of(const CheckReport& report, const TrainConfig& config) {
  const TrainingTime& time = *report.time;
  const std::string epoch = fmt::format("an epoch takes {}", duration(time.epoch));
  if (read_period("after", config.after).unit == Period::Unit::seconds)
    return fmt::format("{}; {}", duration(*time.whole), epoch);
  if (time.whole) return fmt::format("{} for {} ({})", duration(*time.whole), config.after, epoch);
  return fmt::format("{}; the run ends after {} validations without improvement", epoch,
                     config.early_stopping);
}

std::string model(const CheckReport& report, const TrainConfig& config) {
  if (report.parameters == 0) return "";
  const MemoryReport& memory = report.memory;
  std::string text =
      fmt::format("Model\n  {:<10}  {}, {} parameters\n", "size", report.type, grouped(report.parameters));
  if (!report.choice.empty()) text += fmt::format("  {:<10}  {}\n", "chosen", report.choice);
  const std::string learner =
      fmt::format("{} of it weights, gradients and moments", memory_size(memory.learner));
  if (memory.predicted)
    text += fmt::format("  {:<10}  {} of {} ({})\n", "memory", memory_size(*memory.predicted),
                        memory_size(memory.machine), learner);
  else
    text += fmt::format("  {:<10}  at least {}, for weights, gradients and moments\n", "memory",
                        memory_size(memory.learner));
  if (report.speed) {
    const Speed& speed = *report.speed;
    text += fmt::format("  {:<10}  {} target tokens a second ({} in {:.1f} s, {})\n", "speed",
                        grouped(static_cast<int64_t>(speed.tokens_per_second())),
                        counted(speed.updates, "update"), speed.seconds, counted(report.threads, "thread"));
    text += fmt::format("  {:<10}  {}, without validations\n", "time", time_of(report, config));
  }
  return text + '\n';
}

const char* name_of(Size size) { return enum_names(size)[static_cast<size_t>(size)]; }

std::string sizes(const CheckReport& report) {
  if (report.sizes.empty()) return "";
  std::string text =
      fmt::format("{:<12}{:>13}  {:>10}  {:>12}\n", "Sizes", "parameters", "tokens/s", "an epoch");
  for (const SizeReport& one : report.sizes)
    text += fmt::format("  {:<10}{:>13}  {:>10}  {:>12}{}\n", name_of(one.size), grouped(one.parameters),
                        grouped(static_cast<int64_t>(one.tokens_per_second)), duration(one.epoch),
                        one.chosen ? "  (chosen)" : "");
  return text + '\n';
}

std::string findings(const CheckReport& report) {
  if (report.findings.empty()) return "";
  std::string text = "Findings\n";
  for (const Finding& f : report.findings)
    text +=
        fmt::format("  {:<8} {}{}{}\n", name_of(f.severity), f.where, f.where.empty() ? "" : ": ", f.text);
  return text + '\n';
}

std::string verdict(const CheckReport& report) {
  const int64_t errors = report.count(Severity::error), warnings = report.count(Severity::warning);
  std::string counts;
  if (errors > 0) counts += ": " + counted(errors, "error");
  if (warnings > 0) counts += (counts.empty() ? ": " : ", ") + counted(warnings, "warning");
  return fmt::format("Training {}{}.\n", errors > 0 ? "cannot start" : "can start", counts);
}

// ---- JSON. Lines and bytes are counted from 1, as people and editors do.

Json one_based(const std::vector<int64_t>& lines) {
  Json list = Json::array();
  for (const int64_t line : lines) list.push_back(line + 1);
  return list;
}

Json json_of(const DataReport& report) {
  Json files = Json::array();
  for (const auto& [path, column, text] : report.columns) {
    Json invalid = Json::array();
    for (const auto& [line, byte] : text.first_invalid)
      invalid.push_back({{"line", line + 1}, {"byte", byte + 1}});
    files.push_back({{"path", path},
                     {"column", column + 1},
                     {"lines", text.lines},
                     {"empty", text.empty},
                     {"first_empty", one_based(text.first_empty)},
                     {"invalid_utf8", text.invalid},
                     {"first_invalid_utf8", invalid},
                     {"longest_characters", text.longest}});
  }
  const ExampleReport& e = report.examples;
  return {
      {"files", files},         {"lines", report.lines}, {"examples", e.kept},          {"empty", e.empty},
      {"too_long", e.too_long}, {"faulty", e.faulty},    {"longest_tokens", e.longest}, {"tokens", e.tokens}};
}

Json json_of(const SharedLines& shared, int64_t lines) {
  return {{"count", shared.count}, {"share", share(shared.count, lines)}, {"first", one_based(shared.first)}};
}

Json json_of(const Coverage& coverage) {
  Json missing = Json::array();
  for (const auto& [token, count] :
       std::span(coverage.missing).first(std::min(coverage.missing.size(), kListedMissing)))
    missing.push_back({{"token", token}, {"count", count}});
  return {{"lines", coverage.lines},     {"of_lines", coverage.of_lines}, {"tokens", coverage.tokens},
          {"unknown", coverage.unknown}, {"bytes", coverage.bytes},       {"missing", missing}};
}

Json json_of(const VocabularyReport& v) {
  return {{"path", v.path},
          {"made", v.origin == Origin::made},
          {"pretrained", v.origin == Origin::pretrained},
          {"kind", attune::name_of(v.kind)},
          {"size", v.size},
          {"training", json_of(v.training)},
          {"validation", json_of(v.validation)}};
}

Json json_of(const Speed& speed) {
  return {{"updates", speed.updates},
          {"seconds", speed.seconds},
          {"target_tokens_per_second", speed.tokens_per_second()},
          {"loss", speed.loss}};
}

}  // namespace

std::string as_text(const CheckReport& report, const TrainConfig& config) {
  return data("Training data", report.training) + data("Validation data", report.validation) +
         vocabularies(report) + model(report, config) + sizes(report) + findings(report) + verdict(report);
}

std::string as_json(const CheckReport& report) {
  Json document{{"can_start", report.can_start()},
                {"errors", report.count(Severity::error)},
                {"warnings", report.count(Severity::warning)},
                {"findings", Json::array()},
                {"training", json_of(report.training)},
                {"validation", json_of(report.validation)}};
  for (const Finding& f : report.findings)
    document["findings"].push_back(
        {{"severity", name_of(f.severity)}, {"kind", f.kind}, {"where", f.where}, {"text", f.text}});
  if (report.duplicates)
    document["duplicates"] = {{"rows", json_of(report.duplicates->rows, report.validation.lines)},
                              {"inputs", json_of(report.duplicates->inputs, report.validation.lines)}};
  document["vocabularies"] = Json::array();
  for (const VocabularyReport& v : report.vocabularies) document["vocabularies"].push_back(json_of(v));
  document["type"] = report.type;
  document["parameters"] = report.parameters;
  if (!report.choice.empty()) document["choice"] = report.choice;
  for (const SizeReport& one : report.sizes)
    document["sizes"].push_back({{"size", name_of(one.size)},
                                 {"chosen", one.chosen},
                                 {"parameters", one.parameters},
                                 {"target_tokens_per_second", one.tokens_per_second},
                                 {"epoch_seconds", one.epoch}});
  document["memory"] = {{"learner", report.memory.learner}, {"machine", report.memory.machine}};
  if (report.memory.predicted) document["memory"]["predicted"] = *report.memory.predicted;
  document["threads"] = report.threads;
  if (report.speed) document["speed"] = json_of(*report.speed);
  if (report.time) {
    document["time"] = {{"epoch_seconds", report.time->epoch}};
    if (report.time->whole) document["time"]["seconds"] = *report.time->whole;
  }
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace attune::cli
