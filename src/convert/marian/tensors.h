// The arrays of a Marian model, each taken once by its name. What is missing or left over is a UsageError.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "convert/import_progress.h"
#include "io/arrays/npz.h"

namespace attune::marian {

constexpr std::string_view kConfigArray = "special:model.yml";

class Tensors {
 public:
  explicit Tensors(const std::filesystem::path& path, ImportProgress progress = {});

  const std::filesystem::path& path() const { return file_.path(); }
  bool contains(std::string_view name) const { return file_.contains(stored(name)); }
  std::string config() const;
  double bytes() const { return bytes_; }  // of all arrays: not more than the file can hold

  // Older types of models use other names in the file: `name` here, `stored` there.
  void rename(std::string name, std::string stored) { names_[std::move(name)] = std::move(stored); }
  // Arrays without meaning, which may be there.
  void ignore(std::string_view stored) { taken_.emplace(stored); }

  // x W in Marian is a matrix [in, out]; attune's is [out, in].
  Tensor transposed(std::string_view name);
  Tensor matrix(std::string_view name);
  Tensor vector(std::string_view name);  // [1, n], or [n] in old files -> [n]

  void require_all_taken() const;

 private:
  std::string stored(std::string_view name) const;
  void took(const std::string& stored);

  Npz file_;
  ImportProgress progress_;
  double bytes_ = 0, taken_bytes_ = 0;
  std::map<std::string, std::string, std::less<>> names_;
  std::set<std::string, std::less<>> taken_;
};

}  // namespace attune::marian
