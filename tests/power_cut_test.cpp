// A power cut at any moment of a run. The program is linked with a layer between it and the system (ld's
// --wrap) that records what it does to the files of the run. After each step the test puts together what the
// disk may hold if the power fails there, and lets training go on from it: it has to end with the same
// weights and the same log as a run that was never cut. Of what was not synced
//   lost     names and content are gone
//   names    names are there (a journal has kept them), but files have what was last synced
//   zeros    the same, and zeros stand where content was not written out
#include <fcntl.h>
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "config/yaml.h"
#include "testing/scratch.h"
#include "train/trainer.h"

namespace fs = std::filesystem;

extern "C" {
int __real_open(const char* path, int flags, ...);
ssize_t __real_write(int file, const void* bytes, size_t count);
int __real_fsync(int file);
int __real_ftruncate(int file, off_t size);
int __real_rename(const char* from, const char* to);
int __real_renameat2(int a, const char* from, int b, const char* to, unsigned flags);
int __real_unlink(const char* path);
int __real_mkdir(const char* path, mode_t mode);
}

namespace {

enum class Remains { lost, names, zeros };

// The files below a folder, as they are and as they are on disk for sure.
class Disk {
 public:
  explicit Disk(fs::path root) : root_(std::move(root)), nodes_(1) {}

  int find(const fs::path& path) const {
    const fs::path inner = path.lexically_normal().lexically_relative(root_);
    if (inner.empty() || *inner.begin() == "..") return -1;
    int at = 0;
    for (const fs::path& name : inner) {
      if (name == "." || name.empty()) continue;
      const auto& entries = nodes_[static_cast<size_t>(at)].entries;
      const auto found = entries.find(name.string());
      if (found == entries.end()) return -1;
      at = found->second;
    }
    return at;
  }

  int make(const fs::path& path, bool directory) {
    const int parent = find(path.parent_path());
    if (parent < 0) return -1;
    nodes_.push_back({directory, {}, {}, {}, {}});
    const int made = static_cast<int>(nodes_.size()) - 1;
    nodes_[static_cast<size_t>(parent)].entries[path.filename().string()] = made;
    return made;
  }
  void remove(const fs::path& path) {
    if (const int parent = find(path.parent_path()); parent >= 0)
      nodes_[static_cast<size_t>(parent)].entries.erase(path.filename().string());
  }
  void move(const fs::path& from, const fs::path& to) {
    const int node = find(from);
    remove(from);
    name(node, to);
  }
  void exchange(const fs::path& a, const fs::path& b) {
    const int first = find(a), second = find(b);
    name(first, b);
    name(second, a);
  }
  void append(int node, std::string_view bytes) { nodes_[static_cast<size_t>(node)].content += bytes; }
  void cut(int node, size_t size) { nodes_[static_cast<size_t>(node)].content.resize(size); }
  void sync(int node) {
    Node& it = nodes_[static_cast<size_t>(node)];
    it.synced = it.content;
    it.durable = it.entries;
  }

  // All that is there, synced or not.
  std::string content(const fs::path& path) const {
    const int node = find(path);
    return node < 0 ? "(never seen)" : nodes_[static_cast<size_t>(node)].content;
  }

  // Path and content of all that a power cut leaves; folders have no content.
  using Files = std::map<std::string, std::optional<std::string>>;
  Files after_cut(Remains remains) const {
    Files files;
    collect(0, "", remains, files);
    return files;
  }

 private:
  struct Node {
    bool directory = true;
    std::string content, synced;
    std::map<std::string, int> entries, durable;
  };

  void name(int node, const fs::path& path) {
    if (const int parent = find(path.parent_path()); parent >= 0 && node >= 0)
      nodes_[static_cast<size_t>(parent)].entries[path.filename().string()] = node;
  }

  void collect(int at, const std::string& prefix, Remains remains, Files& files) const {
    const Node& node = nodes_[static_cast<size_t>(at)];
    for (const auto& [name, inner] : remains == Remains::lost ? node.durable : node.entries) {
      const Node& it = nodes_[static_cast<size_t>(inner)];
      const std::string path = prefix + name;
      if (it.directory) {
        files[path] = std::nullopt;
        collect(inner, path + "/", remains, files);
      } else {
        std::string content = it.synced;
        if (remains == Remains::zeros && it.content.size() > content.size())
          content.resize(it.content.size(), '\0');
        files[path] = content;
      }
    }
  }

  fs::path root_;
  std::vector<Node> nodes_;
};

// While it lives, all that the program does below the folder goes to a Disk, and `after` is called.
struct Recording {
  Disk disk;
  std::map<int, int> open;  // descriptor to node
  std::function<void(const Disk&)> after;
};
Recording* recording = nullptr;

void step() { recording->after(recording->disk); }

}  // namespace

extern "C" {

int __wrap_open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  const int file = __real_open(path, flags, mode);
  if (recording == nullptr || file < 0) return file;
  recording->open.erase(file);
  int node = recording->disk.find(path);
  const bool fresh = node < 0 && (flags & O_CREAT) != 0;
  if (fresh) node = recording->disk.make(path, false);
  if (node >= 0) recording->open[file] = node;
  if (fresh && node >= 0) step();
  return file;
}

ssize_t __wrap_write(int file, const void* bytes, size_t count) {
  const ssize_t written = __real_write(file, bytes, count);
  if (recording == nullptr || written <= 0 || !recording->open.contains(file)) return written;
  recording->disk.append(recording->open[file],
                         {static_cast<const char*>(bytes), static_cast<size_t>(written)});
  step();
  return written;
}

int __wrap_fsync(int file) {  // nothing here depends on the real disk
  if (recording != nullptr && recording->open.contains(file)) {
    recording->disk.sync(recording->open[file]);
    step();
  }
  return 0;
}

int __wrap_ftruncate(int file, off_t size) {
  const int result = __real_ftruncate(file, size);
  if (recording != nullptr && recording->open.contains(file)) {
    recording->disk.cut(recording->open[file], static_cast<size_t>(size));
    step();
  }
  return result;
}

int __wrap_rename(const char* from, const char* to) {
  const int result = __real_rename(from, to);
  if (recording != nullptr && result == 0) {
    recording->disk.move(from, to);
    step();
  }
  return result;
}

int __wrap_renameat2(int a, const char* from, int b, const char* to, unsigned flags) {
  const int result = __real_renameat2(a, from, b, to, flags);
  if (recording != nullptr && result == 0) {
    recording->disk.exchange(from, to);
    step();
  }
  return result;
}

int __wrap_unlink(const char* path) {
  const int result = __real_unlink(path);
  if (recording != nullptr && result == 0) {
    recording->disk.remove(path);
    step();
  }
  return result;
}

int __wrap_mkdir(const char* path, mode_t mode) {
  const int result = __real_mkdir(path, mode);
  if (recording != nullptr && result == 0) {
    recording->disk.make(path, true);
    step();
  }
  return result;
}
}

namespace attune {
namespace {

struct Watcher final : TrainWatcher {};  // says nothing on stderr

void run(const fs::path& data, const fs::path& folder) {
  const std::string text = fmt::format(
      "type: rnn\nembedding: 4\nhidden: 4\nmodel: {1}\ntrain_sets: [{0}/train.src, {0}/train.tgt]\n"
      "valid_sets: [{0}/valid.src, {0}/valid.tgt]\nvalid_metrics: [perplexity, accuracy]\nvocab_kind: bpe\n"
      "vocab_size: 300\nmini_batch_words: 30\nafter: 8u\nvalid_freq: 4u\nsave_freq: 3u\ndisp_freq: 2u\n"
      "tensorboard: false\ncpu_threads: 1\n",
      data.string(), folder.string());
  RunConfig config = read_run_config(read_yaml(text, "config.yml"), {});
  Watcher watcher;
  train(config, &watcher);
}

// The weights, and what the log says without times.
std::string outcome(const fs::path& folder) {
  std::string text = testing::get(folder / "last" / "weights.safetensors");
  std::istringstream log(testing::get(folder / "metrics.jsonl"));
  for (std::string line; std::getline(log, line);) {
    auto entry = nlohmann::json::parse(line);
    for (const char* timed : {"seconds", "tokens_per_second", "memory"}) entry.erase(timed);
    text += entry.dump() + '\n';
  }
  return text;
}

void put_together(const Disk::Files& files, const fs::path& folder) {
  for (const auto& [path, content] : files) {  // folders come before what is in them
    if (content)
      testing::put(folder / path, *content);
    else
      fs::create_directories(folder / path);
  }
}

TEST(PowerCut, at_any_moment_leaves_a_run_that_goes_on_to_the_same_end) {
  const testing::ScratchFolder scratch;
  for (const char* name : {"train", "valid"}) {
    std::string source, target;
    for (int i = 0; i < (name[0] == 't' ? 60 : 4); ++i) {
      source += fmt::format("Größe {} über 日本 {}\n", i * 7 % 13, i % 5);
      target += fmt::format("{} 大きさ {}\n", i % 5, i * 7 % 13);
    }
    scratch.write(fmt::format("{}.src", name), source);
    scratch.write(fmt::format("{}.tgt", name), target);
  }
  const fs::path folder = scratch / "run";
  fs::create_directories(folder);
  std::set<Disk::Files> states;
  Recording all{Disk(folder), {}, [&](const Disk& disk) {
                  for (const Remains remains : {Remains::lost, Remains::names, Remains::zeros})
                    states.insert(disk.after_cut(remains));
                }};
  recording = &all;
  run(scratch.path(), folder);
  recording = nullptr;
  const std::string expected = outcome(folder);
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {  // nothing went past the recording
    const bool seen =
        !entry.is_regular_file() || all.disk.content(entry.path()) == testing::get(entry.path());
    ASSERT_TRUE(seen) << entry.path();
  }
  ASSERT_GT(states.size(), 50u);
  int failures = 0;
  for (const Disk::Files& state : states) {
    const fs::path cut = scratch / "cut";
    fs::create_directories(cut);
    put_together(state, cut);
    std::string what = "it ends with something else";
    try {
      run(scratch.path(), cut);
      if (outcome(cut) == expected) what.clear();
    } catch (const std::exception& error) {
      what = error.what();
    }
    if (!what.empty() && ++failures <= 5) {
      std::string list;
      for (const auto& [path, content] : state)
        list += fmt::format("  {} {}\n", path, content ? std::to_string(content->size()) : "/");
      ADD_FAILURE() << what << " after a power cut that left\n" << list;
    }
    fs::remove_all(cut);
  }
  EXPECT_EQ(failures, 0) << "of " << states.size();
  std::printf("%zu states of the disk\n", states.size());
}

}  // namespace
}  // namespace attune
