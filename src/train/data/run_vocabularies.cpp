#include "train/data/run_vocabularies.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "attune/error.h"
#include "base/readable.h"
#include "config/rules.h"
#include "io/files/directory.h"
#include "io/files/file.h"
#include "models/model_files.h"
#include "text/corpus/corpus_source.h"
#include "text/directions/direction.h"
#include "text/vocabulary/several_sources.h"
#include "text/word_links.h"
#include "vectors/vector_vocabulary.h"

namespace attune {
namespace {

namespace fs = std::filesystem;

bool has_joint_vocabulary(const TrainConfig& config, const Task& task) {
  if (!config.reads_words()) return false;
  switch (task.target_vocabulary()) {
    case TargetVocabulary::source: return true;
    case TargetVocabulary::labels:
    case TargetVocabulary::numbers: return false;
    case TargetVocabulary::second: break;
  }
  return config.vocabs.empty() ? config.joint_vocab : config.vocabs.size() == 1;
}

VocabularyOptions options_of(const TrainConfig& config, const Task& task, bool labels) {
  VocabularyOptions options;
  options.kind = labels ? VocabularyKind::word : config.vocab_kind;
  options.size = config.vocab_size;
  options.seed = static_cast<uint64_t>(config.seed);
  if (labels) return options;
  options.line_breaks = config.text_unit != TextReading::line;
  const auto symbols = task.symbols();
  options.user_symbols.assign(symbols.begin(), symbols.end());
  options.user_symbols.insert(options.user_symbols.end(), config.vocab_symbols.begin(),
                              config.vocab_symbols.end());
  for (const std::string& language : targets_of(read_directions(config.languages)))
    if (const std::string token = language_token(language);
        std::ranges::find(options.user_symbols, token) == options.user_symbols.end())
      options.user_symbols.push_back(token);
  return options;
}

bool same(const Vocabulary& a, const Vocabulary& b) { return a.serialized() == b.serialized(); }

VocabularyPlan plan_of(const TrainConfig& config, const Task& task, bool labels, const std::string& stem) {
  VocabularyPlan plan{.given = {}, .path = {}, .columns = {}, .options = options_of(config, task, labels)};
  const bool listed =
      plan.options.kind != VocabularyKind::unigram && plan.options.kind != VocabularyKind::bpe;
  plan.path = (fs::path(config.model) / (stem + (listed ? ".txt" : ".spm"))).string();
  plan.labels = labels;
  return plan;
}

VocabularyPlan plan_of_vectors(const TrainConfig& config, const std::string& stem) {
  VocabularyPlan plan;
  plan.path = (fs::path(config.model) / (stem + ".yml")).string();
  plan.vectors = config;
  return plan;
}

VocabularyPlan plan_of_source(const TrainConfig& config, const Task& task, bool joint) {
  if (config.reads_words()) return plan_of(config, task, false, joint ? "vocab" : "source");
  if (config.reads_vectors()) return plan_of_vectors(config, "source");
  VocabularyPlan plan;
  plan.path = (fs::path(config.model) / "source.parts").string();
  for (size_t i = 0; i < config.source.size(); ++i) {
    plan.parts.push_back(config.source[i] == "vectors" ? plan_of_vectors(config, "source")
                                                       : plan_of(config, task, false, "source"));
    plan.parts.back().anew = true;
    plan.parts.back().columns = {i};
  }
  return plan;
}

// One of several sources, which have tabs between them.
TextLines source_of(const TextLines& lines, size_t number) {
  return {lines.count, [line = lines.line, number](int64_t i) {
            const std::vector<std::string> fields = split_at_tabs(line(i));
            return number < fields.size() ? fields[number] : std::string();
          }};
}

// The lines without tags that are not known.
TextLines known_tags(const TextLines& lines) {
  return {lines.count, [line = lines.line](int64_t i) {
            const std::string text = line(i);
            std::string known;
            for (const std::string_view tag : blank_separated(text))
              if (tag != kTagNotKnown) known.append(known.empty() ? "" : " ").append(tag);
            return known;
          }};
}

std::shared_ptr<const Vocabulary> vectors_of(const VectorReading& reading, const TextLines& lines) {
  for (int64_t i = 0; i < lines.count; ++i)
    if (const std::string line = lines.line(i); !line.empty()) return make_vector_vocabulary(reading, line);
  throw UsageError("train_sets: no line of the first column names a file");
}

}  // namespace

bool VocabularyPlan::exists() const { return given || (!anew && fs::exists(path)); }

std::vector<VocabularyPlan> plan_vocabularies(const TrainConfig& config, const Task& task, size_t columns) {
  Vocabularies given;
  if (!config.pretrained_model.empty()) given = load_model_files(config.pretrained_model).vocabularies;
  if (!config.teacher.empty()) {
    const Vocabularies taught = load_model_files(config.teacher).vocabularies;
    require(!given.source || (same(*given.source, *taught.source) && same(*given.target, *taught.target)),
            "teacher", "{} and {} have different vocabularies", config.teacher, config.pretrained_model);
    given = taught;
  }
  const bool labels = task.answers_with_labels();
  const bool joint = given.source ? given.joint() && !labels : has_joint_vocabulary(config, task);
  std::vector<VocabularyPlan> plans{plan_of_source(config, task, joint)};
  plans[0].columns.resize(joint ? columns : columns - 1);
  std::iota(plans[0].columns.begin(), plans[0].columns.end(), size_t{0});
  if (!joint) {
    plans.push_back(task.answers_with_numbers() ? plan_of_vectors(config, "target")
                                                : plan_of(config, task, labels, "target"));
    plans[1].columns = {columns - 1};
  }
  require(config.vocabs.empty() || config.vocabs.size() == plans.size(), "vocabs",
          "this model needs {}, but {} given", joint ? "one vocabulary" : "two vocabularies",
          config.vocabs.size() == 1 ? "one was" : "two were");
  for (size_t i = 0; i < config.vocabs.size(); ++i) plans[i].path = config.vocabs[i];
  plans[0].given = given.source;
  // A model that has learnt to read or write does not know labels yet.
  if (!joint && !(labels && given.joint())) plans[1].given = given.target;
  return plans;
}

std::shared_ptr<const Vocabulary> make_vocabulary(const VocabularyPlan& plan,
                                                  const std::vector<TextLines>& columns) {
  if (plan.given) return plan.given;
  if (plan.exists()) return load_vocabulary(plan.path);
  if (plan.vectors) return vectors_of(*plan.vectors, columns.at(plan.columns[0]));
  if (!plan.parts.empty()) {
    std::vector<TextLines> sources;
    for (size_t i = 0; i < plan.parts.size(); ++i) sources.push_back(source_of(columns.at(0), i));
    std::vector<std::shared_ptr<const Vocabulary>> parts;
    for (const VocabularyPlan& part : plan.parts) parts.push_back(make_vocabulary(part, sources));
    return several_sources(std::move(parts));
  }
  std::vector<TextLines> text;
  for (const size_t column : plan.columns)
    text.push_back(plan.labels ? known_tags(columns.at(column)) : columns.at(column));
  return train_vocabulary(text, plan.options);
}

Vocabularies run_vocabularies(const std::vector<VocabularyPlan>& plans, const std::vector<TextLines>& columns,
                              const Say& say) {
  std::vector<std::shared_ptr<const Vocabulary>> made;
  for (const VocabularyPlan& plan : plans) {
    const bool exists = plan.exists();
    if (!exists && !plan.parts.empty())
      say(fmt::format("the first {} columns are sources", plan.parts.size()));
    else if (!exists && plan.vectors)
      say(fmt::format("the {} column names files of numbers", plan.columns[0] == 0 ? "first" : "last"));
    else if (!exists)
      say(fmt::format("making the vocabulary {} from {}", plan.path, counted(columns.at(0).count, "line")));
    made.push_back(make_vocabulary(plan, columns));
    if (exists) continue;
    if (!plan.parts.empty())
      for (const auto& part : made.back()->parts())
        say(part->vectors() != nullptr ? fmt::format("one has rows of {} numbers", part->size())
                                       : fmt::format("one has {} tokens", part->size()));
    else if (plan.vectors)
      say(fmt::format("its rows have {} numbers", made.back()->size()));
    else
      say(fmt::format("it has {} ({})", counted(made.back()->size(), "token"), name_of(made.back()->kind())));
  }
  return {made.front(), made.back()};
}

Vocabularies shared(const Vocabularies& own, Ranks& ranks) {
  if (ranks.alone()) return own;
  const bool joint = !ranks.broadcast(own.source && own.joint() ? "joint" : "").empty();
  const auto one = [&](const std::shared_ptr<const Vocabulary>& vocabulary) {
    const std::string content = ranks.broadcast(vocabulary ? vocabulary->serialized() : "");
    return vocabulary ? vocabulary : parse_vocabulary(content, "the vocabulary of rank 0");
  };
  const auto source = one(own.source);
  return {source, joint ? source : one(own.target)};
}

void save_vocabularies(const std::vector<VocabularyPlan>& plans, const Vocabularies& vocabularies) {
  for (size_t i = 0; i < plans.size(); ++i) {
    if (plans[i].exists()) continue;
    make_directories(directory_of(plans[i].path));
    const Vocabulary& vocabulary = i == 0 ? *vocabularies.source : *vocabularies.target;
    write_file_atomically(plans[i].path, vocabulary.serialized());
  }
}

}  // namespace attune
