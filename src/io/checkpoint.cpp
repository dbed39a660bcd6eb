#include "io/checkpoint.h"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "base/check.h"
#include "io/temporary.h"

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
  std::error_code error;
  fs::create_directories(directory_, error);
  if (error) fail_at(directory_, "make", error.value());
  remove_stale_temporaries(directory_);
  write_safetensors(path_of(number), tensors, {{std::string(kState), std::string(state)}});
  std::vector<int64_t> present = numbers();
  std::erase_if(present, [&](int64_t other) { return other > number; });
  const int64_t surplus = std::max<int64_t>(static_cast<int64_t>(present.size()) - keep_, 0);
  for (const int64_t old : std::span(present).first(static_cast<size_t>(surplus)))
    fs::remove(path_of(old), error);
}

Checkpoint CheckpointFolder::read(int64_t number) const {
  Checkpoint checkpoint{number, SafeTensors::read(path_of(number), SafeTensors::Checksum::needed), {}};
  const auto state = checkpoint.tensors.metadata().find(std::string(kState));
  if (state == checkpoint.tensors.metadata().end())
    throw UsageError(path_of(number).string() + ": this is no checkpoint of attune");
  checkpoint.state = state->second;
  return checkpoint;
}

std::optional<Checkpoint> CheckpointFolder::latest(const Report& report) const {
  const std::vector<int64_t> present = numbers();
  for (auto number = present.rbegin(); number != present.rend(); ++number) {
    try {
      return read(*number);
    } catch (const Error& error) {
      report(error.what());
    }
  }
  if (present.empty()) return std::nullopt;
  throw UsageError(
      fmt::format("{}: none of its {} checkpoints can be read; move the folder away to train from the start",
                  directory_.string(), present.size()));
}

}  // namespace attune
