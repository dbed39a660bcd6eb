#include "io/checkpoint.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "base/check.h"
#include "io/files/directory.h"

namespace attune {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "update-", kSuffix = ".safetensors", kState = "attune.state";
constexpr size_t kDigits = 8;

std::optional<int64_t> number_of(std::string_view name) {
  if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  name.remove_suffix(kSuffix.size());
  int64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size() || name.size() < kDigits || number < 0)
    return std::nullopt;
  return number;
}

}  // namespace

CheckpointFolder::CheckpointFolder(fs::path directory, int64_t keep)
    : directory_(std::move(directory)), keep_(keep) {
  check(keep >= 1, "CheckpointFolder: at least one checkpoint must be kept, not {}", keep);
}

fs::path CheckpointFolder::path_of(int64_t number) const {
  return directory_ / fmt::format("{}{:0{}}{}", kPrefix, number, kDigits, kSuffix);
}

std::vector<int64_t> CheckpointFolder::numbers() const {
  std::vector<int64_t> numbers;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(directory_, none))
    if (const auto number = number_of(entry.path().filename().string())) numbers.push_back(*number);
  std::ranges::sort(numbers);
  return numbers;
}

void CheckpointFolder::save(int64_t number, std::span<const NamedTensor> tensors,
                            std::string_view state) const {
  make_directories(directory_);
  remove_stale_temporaries(directory_);
  write_safetensors(path_of(number), tensors, {{std::string(kState), std::string(state)}});
}

void CheckpointFolder::remove(int64_t number) const { unlink(path_of(number).c_str()); }

void CheckpointFolder::prune(int64_t number) const {
  std::vector<int64_t> present = numbers();
  std::erase_if(present, [&](int64_t other) { return other >= number; });
  int64_t good = 1, unseen = static_cast<int64_t>(present.size());
  for (; unseen > 0 && good + unseen > keep_; --unseen) {
    const int64_t old = present[static_cast<size_t>(unseen) - 1];
    if (good < keep_ && readable(old))
      ++good;
    else
      remove(old);
  }
}

bool CheckpointFolder::readable(int64_t number) const {
  try {
    read(number);
    return true;
  } catch (const Error&) {
    return false;
  }
}

std::vector<Checkpoint> CheckpointFolder::newest(int64_t count, const Report& report) const {
  const std::vector<int64_t> present = numbers();
  std::vector<Checkpoint> good;
  for (auto number = present.rbegin(); number != present.rend() && static_cast<int64_t>(good.size()) < count;
       ++number) {
    try {
      good.push_back(read(*number));
    } catch (const Error& error) {
      report(error.what());
    }
  }
  return good;
}

Checkpoint CheckpointFolder::read(int64_t number) const {
  Checkpoint checkpoint{number, SafeTensors::read(path_of(number), SafeTensors::Checksum::needed), {}};
  const auto state = checkpoint.tensors.metadata().find(std::string(kState));
  if (state == checkpoint.tensors.metadata().end())
    throw UsageError(path_of(number).string() + ": this is not a checkpoint of attune");
  checkpoint.state = state->second;
  return checkpoint;
}

std::optional<Checkpoint> CheckpointFolder::latest(const Report& report) const {
  auto good = newest(1, report);
  if (!good.empty()) return std::move(good[0]);
  const size_t damaged = numbers().size();
  if (damaged == 0) return std::nullopt;
  throw UsageError(fmt::format(
      "{}: none of its {} checkpoints can be read; move the folder away to start training from scratch",
      directory_.string(), damaged));
}

}  // namespace attune
