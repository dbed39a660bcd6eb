#include "train/run_folder.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>

#include "attune/error.h"
#include "config/yaml.h"
#include "decode/options.h"
#include "io/crc32c.h"
#include "io/file.h"
#include "io/json.h"
#include "io/temporary.h"
#include "models/model_folder.h"

namespace attune {
namespace {

namespace fs = std::filesystem;

Descriptor locked(const fs::path& folder) {
  fs::create_directories(folder);
  Descriptor file(open((folder / ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!file) fail_at(folder / ".lock", "open", errno);
  if (flock(file.number(), LOCK_EX | LOCK_NB) != 0)
    throw UsageError(
        fmt::format("{}: another process is training in this folder; stop it, or choose another "
                    "folder (model)",
                    folder.string()));
  return file;
}

std::string value_of(const Entry& entry) {
  std::string text;
  for (const std::string& value : entry.values) text += (text.empty() ? "" : " ") + value;
  return text;
}

std::string value_in(const Entries& entries, const std::string& key) {
  const auto found = std::ranges::find(entries, key, &Entry::key);
  return found == entries.end() ? "" : value_of(*found);
}

// "  dropout: 0.1 -> 0.3", a line for each that matters. A key that is younger than the run had its default.
std::string differences(const Entries& before, const Entries& now) {
  RunConfig plain{{}, model_config(value_in(now, "type"))};
  const Entries defaults = plain.entries();
  std::string lines;
  for (const Entry& entry : now) {
    const bool known = std::ranges::find(before, entry.key, &Entry::key) != before.end();
    const std::string was = value_in(known ? before : defaults, entry.key), is = value_of(entry);
    if (was != is && !harmless_on_resume(entry.key))
      lines += fmt::format("\n  {}: {} -> {}", entry.key, was, is);
  }
  return lines;
}

// Every update gives all ranks the same bits, or something is wrong with a machine.
void check_same_weights(Learner& learner, Ranks& ranks) {
  if (ranks.alone()) return;
  const auto values = std::as_bytes(learner.parameters().values().span<float>());
  const auto sums = ranks.gather(fmt::format("{:08x}", crc32c(values)));
  const auto other = std::ranges::find_if(sums, [&](const std::string& sum) { return sum != sums[0]; });
  if (other != sums.end())
    throw Error(fmt::format(
        "rank {} has other weights than rank 0: a machine computes or sends wrongly, or the ranks "
        "run different programs; the last checkpoint is from before that",
        other - sums.begin()));
}

struct Summary {
  int64_t updates = 0, epochs = 0, target_tokens = 0, parameters = 0, columns = 0;
  double seconds = 0;
  std::vector<std::string> train_sets, best;

  void fields(Fields& f) {
    f("updates", updates, "");
    f("epochs", epochs, "");
    f("target_tokens", target_tokens, "");
    f("seconds", seconds, "");
    f("parameters", parameters, "");
    f("train_sets", train_sets, "");
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
}

std::string changed_configuration(const fs::path& folder, const Entries& now) {
  const fs::path file = folder / "config.yml";
  if (!fs::exists(file) || CheckpointFolder(folder / "checkpoints", 1).numbers().empty()) return {};
  return differences(read_yaml(read_file(file), file.string()), now);
}

void RunFolder::keep_config() {
  if (!ranks_.first()) return;
  const Entries now = config_.entries();
  const std::string changed = changed_configuration(path_, now);
  if (!changed.empty())
    throw UsageError(
        fmt::format("{}: this run was started with another configuration:{}\nGo on with the former one, "
                    "or train in another folder (model), or begin anew (--overwrite)",
                    path_.string(), changed));
  write_file_atomically(path_ / "config.yml", write_yaml(now));
}

void RunFolder::save(Learner& learner, TrainState& state) const {
  check_same_weights(learner, ranks_);
  const std::vector<NamedTensor> tensors = learner.tensors();
  if (ranks_.first()) checkpoints_.save(state.progress.updates, tensors, json_line(fields_of(state)));
  ranks_.meet();
  tell_last(state.progress.updates);
}

void RunFolder::tell_last(int64_t number) const {
  ranks_.set_last_words(fmt::format("the last good checkpoint is {}, and the same command goes on from there",
                                    checkpoints_.path_of(number).string()));
}

bool RunFolder::restore(Learner& learner, TrainState& state,
                        const std::function<void(const std::string&)>& say) const {
  const auto checkpoint = ranks_.first() ? checkpoints_.latest(say) : std::nullopt;
  const std::string json = ranks_.broadcast(checkpoint ? checkpoint->state : "");
  if (json.empty()) return false;
  state = {};
  const Section sections[] = {{"", fields_of(state)}};
  assign(sections, read_json(json, checkpoint ? checkpoint->tensors.path().string() : "rank 0"));
  learner.restore(checkpoint ? &checkpoint->tensors : nullptr, state.progress.updates);
  tell_last(state.progress.updates);
  return true;
}

void RunFolder::save_model(const std::string& name, Learner& learner, const Vocabularies& vocabularies,
                           const TrainState& state) const {
  if (!ranks_.first()) return;
  SearchOptions decoding;
  if (!config_.train.guided_alignment.empty()) decoding.attention_head = 0;  // the one that was guided
  Summary summary{.updates = state.progress.updates,
                  .epochs = state.progress.epochs,
                  .target_tokens = state.progress.tokens,
                  .parameters = learner.parameters().count(),
                  .columns = static_cast<int64_t>(columns_),
                  .seconds = state.progress.seconds,
                  .train_sets = config_.train.train_sets,
                  .best = state.best};
  save_model_folder(path_ / name, *config_.model, vocabularies, learner.parameters(), fields_of(decoding),
                    fields_of(summary));
}

int64_t RunFolder::average(Learner& learner, int64_t count) const {
  int64_t taken = 0;
  if (ranks_.first()) {
    const std::vector<int64_t> numbers = checkpoints_.numbers();
    taken = std::min<int64_t>(count, static_cast<int64_t>(numbers.size()));
    const auto values = learner.parameters().values().span<float>();
    if (taken > 0) std::ranges::fill(values, 0.0f);
    for (int64_t i = 0; i < taken; ++i) {
      const Checkpoint checkpoint = checkpoints_.read(numbers[numbers.size() - 1 - static_cast<size_t>(i)]);
      const auto one = checkpoint.tensors.tensor("values").span<float>();
      for (size_t j = 0; j < values.size(); ++j) values[j] += one[j] / static_cast<float>(taken);
    }
  }
  learner.share_values();
  return taken;
}

}  // namespace attune
