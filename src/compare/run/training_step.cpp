#include "compare/run/training_step.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "attune/error.h"
#include "base/stop_signal.h"
#include "compare/run/child_process.h"
#include "compare/run/step_cache.h"
#include "io/files/digest.h"
#include "io/files/file.h"
#include "models/model_files.h"
#include "text/corpus/line_file.h"
#include "train/data/corpora.h"

namespace attune::compare {
namespace {

namespace fs = std::filesystem;

fs::path run_folder(const Contestant& model) { return model.config.train.model; }
fs::path origin_file(const Contestant& model) { return run_folder(model) / "compare" / "origin.json"; }
fs::path training_file(const Contestant& model) { return run_folder(model) / "compare" / "training.json"; }

// Keys that change what is shown and kept during training, but not the model.
bool for_show(std::string_view key) {
  static const std::set<std::string_view> keys{"model",     "cpu_threads", "save_freq",    "keep_checkpoints",
                                               "disp_freq", "tensorboard", "valid_samples"};
  return keys.contains(key);
}

// "dropout: 0.3"
std::vector<std::string> settings_of(RunConfig& config) {
  std::vector<std::string> lines;
  for (const Entry& entry : config.entries()) {
    if (for_show(entry.key)) continue;
    std::string text;
    for (const std::string& value : entry.values) text += (text.empty() ? "" : " ") + value;
    lines.push_back(entry.key + ": " + text);
  }
  return lines;
}

// Everything that a trained model depends on: settings, and "data/train.en: 1801236 bytes, 1f2e3d4c".
std::vector<std::string> origin_of(Contestant& model) {
  std::vector<std::string> lines = settings_of(model.config);
  for (const std::string& file : corpus_paths(model.config.train))
    lines.push_back(file + ": " + file_digest(file));
  return lines;
}

std::string key_of(const std::string& line) { return line.substr(0, line.find(": ") + 2); }

// A key that did not exist when the run was started has its default.
std::vector<std::string> with_new_keys(std::vector<std::string> was, const std::string& type) {
  RunConfig plain{{}, model_config(type)};
  for (const std::string& line : settings_of(plain)) {
    const auto same_key = [&](const std::string& other) { return other.starts_with(key_of(line)); };
    if (std::ranges::none_of(was, same_key)) was.push_back(line);
  }
  return was;
}

std::string value_in(const std::vector<std::string>& lines, const std::string& key) {
  for (const std::string& line : lines)
    if (line.starts_with(key)) return line.substr(key.size());
  return "";
}

template <class T>
T entry_value(const Entries& entries, std::string_view key) {
  T value{};
  Entries one;
  for (const Entry& entry : entries)
    if (entry.key == key) one.push_back(entry);
  assign([&](FieldSetter& f) { f(key, value, ""); }, one);
  return value;
}

// How far training had come when a model was written.
Progress progress_of(const Entries& training) {
  return {.updates = entry_value<int64_t>(training, "updates"),
          .tokens = entry_value<int64_t>(training, "target_tokens"),
          .epochs = entry_value<int64_t>(training, "epochs"),
          .share_of_epoch = entry_value<double>(training, "share_of_epoch"),
          .seconds = entry_value<double>(training, "seconds")};
}

Training read_training(const Contestant& model) {
  const Entries summary = load_model_files(run_folder(model) / "last").training;
  return {.parameters = entry_value<int64_t>(summary, "parameters"),
          .updates = entry_value<int64_t>(summary, "updates"),
          .epochs = entry_value<int64_t>(summary, "epochs"),
          .tokens = entry_value<int64_t>(summary, "target_tokens"),
          .seconds = entry_value<double>(summary, "seconds"),
          .curves = read_curves(run_folder(model) / "metrics.jsonl")};
}

}  // namespace

std::string changes_since(Contestant& model) {
  if (!fs::exists(origin_file(model))) return "";
  const Json before = Json::parse(read_file(origin_file(model)), nullptr, false);
  if (!before.is_array()) return fmt::format("\n  {} is damaged", origin_file(model).string());
  std::string changes;
  const std::vector<std::string> was = with_new_keys(before, model.config.model->type()),
                                 is = origin_of(model);
  for (const auto& [lines, others] : {std::pair{&is, &was}, {&was, &is}})
    for (const std::string& line : *lines) {
      const std::string key = key_of(line);
      const std::string other = value_in(*others, key), own = line.substr(key.size());
      if (own == other || (lines == &was && !value_in(is, key).empty())) continue;
      changes += fmt::format("\n  {}{} -> {}", key, lines == &is ? other : own, lines == &is ? own : "");
    }
  return changes;
}

void refuse_changed(const Contestant& model, const std::string& changes) {
  throw UsageError(
      fmt::format("{}: '{}' was trained with different settings or data:{}\nRestore them, give the model "
                  "another name, or "
                  "use --retrain to train it again (this deletes its run in {})",
                  model.where, model.name, changes, run_folder(model).string()));
}

std::optional<Training> trained(Contestant& model) {
  if (!fs::exists(origin_file(model)) || !changes_since(model).empty()) return std::nullopt;
  const auto done = cached_step(training_file(model), file_digest(origin_file(model)));
  if (!done || !fs::exists(run_folder(model) / "last" / "config.json")) return std::nullopt;
  return done->get<Training>();
}

Training train_in_child(Contestant& model, TrainWatcher& watcher) {
  fs::create_directories(origin_file(model).parent_path());
  write_file_atomically(origin_file(model), Json(origin_of(model)).dump(1) + "\n");
  const Cost cost = run_in_child([&] {
    if (train(model.config, &watcher) == TrainEnd::interrupted) throw Interrupted();
  });
  Training training = read_training(model);
  training.peak_memory = cost.peak_memory;
  cache_step(training_file(model), file_digest(origin_file(model)), training);
  return training;
}

fs::path model_of(const Contestant& model) { return folder_of_model(run_folder(model)); }

Outcome outcome_of(const Contestant& model) {
  const Entries end = load_model_files(run_folder(model) / "last").training,
                compared = load_model_files(model_of(model)).training;
  const std::string name = model_of(model).filename().string();
  const Progress progress = progress_of(compared);
  return {.stopped_early = model.config.train.periods().after.share(progress_of(end)) < 1,
          .rule = name.starts_with("best-") ? "best " + name.substr(5) : name,
          .updates = progress.updates,
          .epochs = static_cast<double>(progress.epochs) + progress.share_of_epoch};
}

std::vector<Curve> read_curves(const fs::path& path) {
  std::vector<Curve> curves;
  const LineFile lines(path.string());  // it is empty if the budget ended before the first report
  for (int64_t i = 0; i < lines.lines(); ++i) {
    const auto refuse = [&](const std::string& what) {
      return UsageError(fmt::format("{}, line {}: {}", path.string(), i + 1, what));
    };
    const auto record =
        nlohmann::ordered_json::parse(lines.line(i), nullptr, false);  // metrics keep their order
    if (!record.is_object()) throw refuse("this is not a JSON object");
    if (!record.contains("kind") || record["kind"] != "validation") continue;
    for (const auto& [key, value] : record.items()) {
      if (key == "kind") continue;
      if (!value.is_number() || !std::isfinite(value.get<double>()))
        throw refuse(fmt::format("'{}' is {}, not a finite number", key, value.dump()));
      if (key == "update" || key == "seconds") continue;
      auto curve = std::ranges::find(curves, key, &Curve::metric);
      if (curve == curves.end()) curve = curves.insert(curves.end(), Curve{key, {}, {}, {}});
      curve->updates.push_back(record.value("update", 0.0));
      curve->seconds.push_back(record.value("seconds", 0.0));
      curve->values.push_back(value.get<double>());
    }
  }
  return curves;
}

}  // namespace attune::compare
