#include "train/run/run_folder.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>

#include "attune/error.h"
#include "config/yaml.h"
#include "decode/search/search_options.h"
#include "io/files/crc32c.h"
#include "io/files/directory.h"
#include "io/files/file.h"
#include "io/files/temporary.h"
#include "io/json.h"
#include "models/model_files.h"
#include "train/run/left_out_report.h"

namespace attune {
namespace {

namespace fs = std::filesystem;

// The first line of a config.yml that attune has written.
constexpr std::string_view kMark = "# The configuration of this run, written by attune train.\n";

Descriptor locked(const fs::path& folder) {
  make_directories(folder);
  Descriptor file(open((folder / ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!file) fail_at(folder / ".lock", "open", errno);
  if (flock(file.number(), LOCK_EX | LOCK_NB) != 0)
    throw UsageError(
        fmt::format("{}: another process is training in this folder; stop it, or train in another "
                    "folder (model)",
                    folder.string()));
  return file;
}

// The names of the files that a run has made in its folder and that nobody has changed since.
std::vector<std::string> still_made(const fs::path& folder, const std::optional<RunFile>& file) {
  std::vector<std::string> names;
  for (const std::string& name : file ? file->made : std::vector<std::string>{})
    if (made_by_run(*file, folder / name)) names.push_back(name);
  return names;
}

bool is_a_run(const fs::path& folder) {
  return fs::exists(folder / kRunFile) || !CheckpointFolder(folder / "checkpoints", 1).numbers().empty();
}

bool written_by_attune(const fs::path& config) {
  return fs::is_regular_file(config) && read_file(config).starts_with(kMark);
}

std::vector<ConfigChange> changes_in(const fs::path& folder, const Entries& now) {
  const auto file = read_run_file(folder);
  if (!file || CheckpointFolder(folder / "checkpoints", 1).numbers().empty()) return {};
  return changes_between(file->configuration, now);
}

// Every update must give all ranks the same bits; otherwise something is wrong with a machine.
void check_same_weights(Learner& learner, Ranks& ranks) {
  if (ranks.alone()) return;
  const auto values = std::as_bytes(learner.parameters().values().span<float>());
  const auto sums = ranks.gather(fmt::format("{:08x}", crc32c(values)));
  const auto other = std::ranges::find_if(sums, [&](const std::string& sum) { return sum != sums[0]; });
  if (other != sums.end())
    throw Error(
        fmt::format("the weights of rank {} differ from those of rank 0: a machine computes or sends wrong "
                    "numbers, or the "
                    "ranks run different programs; the last checkpoint was written before that",
                    other - sums.begin()));
}

struct Summary {
  int64_t updates = 0, epochs = 0, target_tokens = 0, parameters = 0, columns = 0;
  double share_of_epoch = 0, seconds = 0;
  std::vector<std::string> train_sets, languages, best;

  void fields(Fields& f) const {
    f("updates", updates, "");
    f("epochs", epochs, "");
    f("share_of_epoch", share_of_epoch, "");
    f("target_tokens", target_tokens, "");
    f("seconds", seconds, "");
    f("parameters", parameters, "");
    f("train_sets", train_sets, "");
    f("languages", languages, "");
    f("columns", columns, "");
    f("best", best, "");
  }
};

}  // namespace

RunFolder::RunFolder(RunConfig& config, Ranks& ranks)
    : config_(config),
      ranks_(ranks),
      path_(config.train.model),
      lock_(ranks.first() ? locked(path_) : Descriptor()),
      checkpoints_(path_ / "checkpoints", config.train.keep_checkpoints) {
  if (ranks_.first()) remove_stale_temporaries(path_);
  const auto numbers = ranks_.first() ? checkpoints_.numbers() : std::vector<int64_t>{};
  const std::string last = ranks_.broadcast(numbers.empty() ? "" : std::to_string(numbers.back()));
  if (!last.empty()) tell_last(std::stoll(last));
}

bool RunFolder::in_folder(const fs::path& file) const {
  return directory_of(file) == directory_of(path_ / kRunFile);
}

void RunFolder::disown(std::vector<VocabularyPlan>& plans) const {
  const auto made = still_made(path_, read_run_file(path_));
  for (VocabularyPlan& plan : plans)
    plan.anew = in_folder(plan.path) &&
                std::ranges::find(made, fs::path(plan.path).filename().string()) != made.end();
}

std::string changed_configuration(const fs::path& folder, const Entries& now) {
  std::string lines;
  for (const ConfigChange& change : changes_in(folder, now))
    if (!may_change(change.key)) lines += "\n  " + change.text();
  return lines;
}

RunFolder::Changes RunFolder::compare(const Vocabularies& vocabularies, const Say& say) const {
  Changes changes;
  const auto former = ranks_.first() ? read_run_file(path_) : std::nullopt;
  if (former && !checkpoints_.numbers().empty()) {
    const Entries now = config_.entries();
    if (const std::string refused = changed_configuration(path_, now); !refused.empty())
      throw UsageError(
          fmt::format("{}: this run was started with a different configuration:{}\nContinue with the earlier "
                      "one, train in another folder (model), or start over (--overwrite)",
                      path_.string(), refused));
    if (const auto digests = digests_of(vocabularies); digests != former->vocabularies)
      throw UsageError(fmt::format(
          "{}: this run was started with a different vocabulary:\n  {} -> {}\nRestore the earlier one, train "
          "in another folder (model), or start over (--overwrite)",
          path_.string(), fmt::join(former->vocabularies, "; "), fmt::join(digests, "; ")));
    if (const std::string digest = frozen_digest(config_.train); digest != former->frozen)
      throw UsageError(fmt::format(
          "{}: {} has other weights now than when this run was started, and they are a part of its "
          "model; restore them, or start over (--overwrite)",
          path_.string(), config_.train.pretrained_model));
    for (const ConfigChange& change : changes_in(path_, now)) {
      if (!steers(change.key)) continue;
      say("from now on " + change.text());
      changes.steps = true;
      changes.learning_rate = changes.learning_rate || change.key == "learning_rate";
    }
    if (const auto corpus = corpus_digests(config_.train); corpus != former->corpus)
      for (const std::string& file : corpus)
        if (std::ranges::find(former->corpus, file) == former->corpus.end())
          say("this file has changed since the run was last started: " + file);
  }
  double all[] = {changes.learning_rate ? 1.0 : 0.0, changes.steps ? 1.0 : 0.0};
  ranks_.sum(all);
  return {all[0] > 0, all[1] > 0};
}

void RunFolder::forget() const {
  if (!ranks_.first() || !is_a_run(path_)) return;
  const auto made = still_made(path_, read_run_file(path_));
  for (const int64_t number : checkpoints_.numbers()) checkpoints_.remove(number);
  std::error_code kept;  // folders that contain something else stay
  fs::remove(path_ / "checkpoints", kept);
  std::vector<std::string> models{"last", "average"};
  for (const std::string& metric : validation_metric_names()) models.push_back("best-" + metric);
  for (const std::string& model : models) remove_model_folder(path_ / model);
  for (const auto& entry : fs::directory_iterator(path_))
    if (const std::string name = entry.path().filename().string();
        name.starts_with("events.out.tfevents.") || name == "metrics.jsonl" || name == "validations.jsonl" ||
        name == "train.log" || name == kLeftOutFile || std::ranges::find(made, name) != made.end())
      fs::remove(entry.path(), kept);
  if (written_by_attune(path_ / "config.yml")) fs::remove(path_ / "config.yml", kept);
  fs::remove(path_ / kRunFile, kept);
  sync_directory(path_);
}

void RunFolder::begin(const std::vector<VocabularyPlan>& plans, const Vocabularies& vocabularies,
                      const std::string& best) {
  if (!ranks_.first()) return;
  RunFile file{.best = best,
               .vocabularies = digests_of(vocabularies),
               .made = still_made(path_, read_run_file(path_)),
               .corpus = corpus_digests(config_.train),
               .frozen = frozen_digest(config_.train),
               .configuration = {}};
  for (const VocabularyPlan& plan : plans)
    if (const std::string name = fs::path(plan.path).filename().string();
        !plan.exists() && std::ranges::find(file.made, name) == file.made.end() && in_folder(plan.path))
      file.made.push_back(name);
  write_run_file(path_, file, config_);
  save_vocabularies(plans, vocabularies);
  if (const fs::path config = path_ / "config.yml"; !fs::exists(config) || written_by_attune(config))
    write_file_atomically(config, std::string(kMark) + write_yaml(config_.entries()));
}

void RunFolder::save(Learner& learner, TrainState& state, Saving why) const {
  check_same_weights(learner, ranks_);
  const int64_t number = state.progress.updates, passing = state.passing;
  const bool again = state.saved == number;  // with the same tensors
  state.passing = again                    ? (passing == number ? number : TrainState::kNone)
                  : why == Saving::regular ? TrainState::kNone
                                           : number;
  state.saved = number;
  const std::vector<NamedTensor> tensors = learner.tensors();
  if (ranks_.first()) {
    checkpoints_.save(number, tensors, json_line(fields_of(state)));
    if (passing != TrainState::kNone && passing != number) checkpoints_.remove(passing);
    if (why != Saving::stop) checkpoints_.prune(number);
  }
  ranks_.meet();
  tell_last(number);
}

void RunFolder::tell_last(int64_t number) const {
  ranks_.set_last_words(fmt::format("the last good checkpoint is {}; run the same command again to continue",
                                    checkpoints_.path_of(number).string()));
}

bool RunFolder::restore(Learner& learner, TrainState& state, const Say& say) const {
  const auto checkpoint = ranks_.first() ? checkpoints_.latest(say) : std::nullopt;
  const std::string json = ranks_.broadcast(checkpoint ? checkpoint->state : "");
  if (json.empty()) return false;
  state = {};
  const SettableSection sections[] = {{"", fields_of(state)}};
  assign(sections, read_json(json, checkpoint ? checkpoint->tensors.path().string() : "rank 0"));
  learner.restore(checkpoint ? &checkpoint->tensors : nullptr, state.progress.updates);
  tell_last(state.progress.updates);
  return true;
}

void RunFolder::save_model(const std::string& name, Learner& learner, const Vocabularies& vocabularies,
                           const TrainState& state) const {
  if (!ranks_.first()) return;
  SearchOptions decoding;
  assign(fields_of(decoding), decoding_);
  if (!config_.train.guided_alignment.empty()) decoding.attention_head = 0;  // the one that was guided
  const Summary summary{.updates = state.progress.updates,
                        .epochs = state.progress.epochs,
                        .target_tokens = state.progress.tokens,
                        .parameters = learner.parameters().count(),
                        .columns = static_cast<int64_t>(columns_),
                        .share_of_epoch = state.progress.share_of_epoch,
                        .seconds = state.progress.seconds,
                        .train_sets = config_.train.train_sets,
                        .languages = config_.train.languages,
                        .best = state.best};
  save_model_folder(path_ / name, *config_.model, vocabularies, learner.parameters(), fields_of(decoding),
                    fields_of(summary), learner.adapter());
}

int64_t RunFolder::average(Learner& learner, int64_t count, const Say& say) const {
  std::vector<SafeTensors> files;
  if (ranks_.first())
    for (const Checkpoint& checkpoint : checkpoints_.newest(count, say)) files.push_back(checkpoint.tensors);
  learner.average_values(files);
  learner.share_values();
  return static_cast<int64_t>(files.size());
}

}  // namespace attune
