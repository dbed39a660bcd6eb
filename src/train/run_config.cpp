// A run's configuration: from a file and the command line, over that of a pretrained model.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "config/rules.h"
#include "models/model_files.h"
#include "text/directions/direction.h"
#include "train/pretrained.h"
#include "train/train_config.h"

namespace attune {
namespace {

Entries overlaid(const Entries& below, const Entries& above) {
  Entries all;
  for (const Entry& entry : below)
    if (std::ranges::find(above, entry.key, &Entry::key) == above.end()) all.push_back(entry);
  all.insert(all.end(), above.begin(), above.end());
  return all;
}

Entries canonical(Entries entries) {
  for (Entry& entry : entries) entry.key = canonical_key(entry.key);
  return entries;
}

const Entry* find(const Entries& entries, std::string_view key) {
  const auto found = std::ranges::find(entries, key, &Entry::key);
  return found == entries.end() ? nullptr : &*found;
}

bool has_key(const FieldList& fields, std::string_view key) {
  const Entries keys = entries_of(fields);
  return std::ranges::find(keys, key, &Entry::key) != keys.end();
}

void refuse_keys_of_other_types(const ModelConfig& model, const Entries& entries) {
  const TrainConfig training;
  const FieldList own = fields_of(training);
  for (const Entry& entry : entries) {
    const std::string& key = entry.key;
    if (has_key(own, key) || has_key(fields_of(model), key)) continue;
    std::vector<std::string> owners;
    for (const std::string& type : model_types())
      if (const auto other = model_config(type); has_key(fields_of(*other), key)) owners.push_back(type);
    require(owners.empty(), entry.where.empty() ? key : entry.where,
            "'{}' belongs to models of type {}; this one has type {}", key, fmt::join(owners, ", "),
            model.type());
  }
}

}  // namespace

Schedule RunConfig::schedule() const {
  const Period end = read_period("lr_end", train.lr_end.empty() ? train.after : train.lr_end);
  return {.kind = train.lr_schedule,
          .rate = train.learning_rate,
          .warmup = read_period_or_share("lr_warmup", train.lr_warmup),
          .end = end,
          .width = model->width()};
}

Entries RunConfig::entries() const {
  Entries all = entries_of(fields_of(train));
  all.push_back({"type", {model->type()}, false, {}});
  for (Entry& entry : entries_of(fields_of(*model))) all.push_back(std::move(entry));
  return all;
}

bool RunConfig::leaves_size_open() const {
  if (given.contains("size") || given.contains("time")) return true;
  return std::ranges::none_of(model->of_size(Size::tiny),
                              [&](const Entry& entry) { return given.contains(entry.key); });
}

void RunConfig::complete(const Entries& entries) {
  assign(
      [&](FieldSetter& f) {
        fields_of(train)(f);
        model->fields(f);
      },
      entries);
  train.validate();
  model->validate();
}

RunConfig read_run_config(const Entries& file, const Entries& changes) {
  Entries merged = overlaid(canonical(file), canonical(changes));
  const Entries given = merged;
  std::optional<ModelFiles> pretrained;
  if (const Entry* folder = find(merged, "pretrained_model");
      folder != nullptr && folder->values.size() == 1 && !folder->values[0].empty()) {
    pretrained = load_model_files(folder->values[0]);
    merged = over_pretrained(*pretrained, merged);
  }
  const auto type = std::ranges::find(merged, "type", &Entry::key);
  require(type == merged.end() || type->values.size() == 1, "type",
          "name one kind of model, for example type: transformer");
  std::string name = type == merged.end() ? "transformer" : type->values[0];
  RunConfig config{{}, model_config(name)};
  refuse_keys_of_other_types(*config.model, merged);
  for (const Entry& entry : given) config.given.insert(entry.key);
  assign(
      [&](FieldSetter& f) {
        fields_of(config.train)(f);
        f("type", name, "kind of model");
        config.model->fields(f);
      },
      merged);
  if (pretrained) take_vocabularies(*pretrained, config);
  TrainConfig complete = config.train;  // a plan will say when to stop
  if (config.leaves_open() && complete.after.empty()) complete.after = "1h";
  complete.validate();
  config.model->validate();
  const TaskColumns columns = config.model->task().columns();
  require(columns.fewest == 1 || config.train.text_unit == TextReading::line, "text_unit",
          "a model that {} reads {} columns, line by line", config.model->task().does(), columns.text());
  require(config.model->task().translates() || read_directions(config.train.languages).empty(), "languages",
          "{} is a direction, but a model of type {} does not translate; name languages",
          config.train.languages.empty() ? "" : config.train.languages[0], config.model->type());
  const Task& task = config.model->task();
  const bool answers_with_words = !task.answers_with_numbers() && !task.answers_with_span();
  require(config.train.consistency == 0 || answers_with_words, "consistency",
          "it compares distributions over words, but this model {}", task.does());
  require(config.train.teacher.empty() || answers_with_words, "teacher",
          "it teaches distributions over words, but this model {}", task.does());
  require(config.train.guided_alignment.empty() || config.model->guided_attention(), "guided_alignment",
          "a model of type {} does not attend to a source, so its attention cannot be guided",
          config.model->type());
  return config;
}

}  // namespace attune
