#include "models/files_in_use.h"

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <mutex>

namespace attune {
namespace {

namespace fs = std::filesystem;

// A folder with other content has another identity: files are replaced as a whole, or their times change.
std::string identity_of(const fs::path& folder, WeightsIn weights) {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    struct stat file = {};
    if (stat(entry.path().c_str(), &file) == 0)
      files.push_back(fmt::format("{} {} {} {}.{}", entry.path().filename().string(), file.st_ino,
                                  file.st_size, file.st_mtim.tv_sec, file.st_mtim.tv_nsec));
  }
  std::ranges::sort(files);
  std::string identity = fmt::format("{} {}", fs::canonical(folder).string(), static_cast<int>(weights));
  for (const std::string& file : files) identity += "\n" + file;
  return identity;
}

class InUse {
 public:
  std::shared_ptr<const ModelFiles> find(const std::string& identity) {
    const std::lock_guard lock(mutex_);
    std::erase_if(folders_, [](const auto& folder) { return folder.second.expired(); });
    const auto found = folders_.find(identity);
    return found == folders_.end() ? nullptr : found->second.lock();
  }
  void add(const std::string& identity, const std::shared_ptr<const ModelFiles>& files) {
    const std::lock_guard lock(mutex_);
    folders_[identity] = files;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<const ModelFiles>> folders_;
};

InUse& in_use() {
  static InUse folders;
  return folders;
}

}  // namespace

ModelFiles loaded_once(const fs::path& folder, WeightsIn weights, const std::function<ModelFiles()>& load) {
  const std::string identity = identity_of(folder, weights);
  auto files = in_use().find(identity);
  if (files == nullptr) {
    files = std::make_shared<const ModelFiles>(load());
    in_use().add(identity, files);
  }
  ModelFiles copy = *files;
  copy.path = folder;
  copy.once = files;
  return copy;
}

}  // namespace attune
