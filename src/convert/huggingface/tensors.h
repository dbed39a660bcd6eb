// The tensors of a Hugging Face folder (model.safetensors, or several files that
// model.safetensors.index.json lists), each taken once by its name. What is missing or left over is a
// UsageError.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "convert/import_progress.h"
#include "io/safetensors.h"

namespace attune::huggingface {

using Weights = std::map<std::string, Tensor, std::less<>>;

// One of attune's parameters: theirs, one below the other. Transposed: x W in GPT-2 is a matrix [in, out].
struct Part {
  std::string ours;
  std::vector<std::string> theirs;
  bool transposed = false;
};
using Parts = std::vector<Part>;

// "NAME.weight" and "NAME.bias" of linear layers; "NAME.gamma" and "NAME.beta" of norms.
void add_linear(Parts& parts, const std::string& ours, const std::vector<std::string>& theirs,
                bool transposed = false);
void add_norm(Parts& parts, const std::string& ours, const std::string& theirs);

class Tensors {
 public:
  // A UsageError if the folder has no safetensors; for a pickle it says how to make them.
  explicit Tensors(const std::filesystem::path& folder, ImportProgress progress = {});

  // Names that begin with `prefix` are known without it: files of the bare network lack it.
  void drop_prefix(std::string_view prefix);
  // Old files call some parts otherwise: names that end in `old` are known by `now`.
  void rename_end(std::string_view old, std::string_view now);
  bool contains(std::string_view name) const { return places_.contains(name); }
  Tensor take(std::string_view name);  // as f32
  Tensor take(const Part& part);
  void take_all(const Parts& parts, Weights& to);
  // Tensors without meaning here, if they are there: by name, or all whose names begin or end so.
  void ignore(std::string_view name) { ignored_.emplace(name); }
  void ignore_begin(std::string_view begin);
  void ignore_end(std::string_view end);
  void require_all_taken() const;

  // "2 files, F16": what there is, for people.
  std::string about() const;

 private:
  struct Place {
    size_t file;
    std::string name;
  };
  void add(const std::filesystem::path& file);
  template <class Rename>
  void rename(const Rename& known_as);

  std::filesystem::path folder_;
  ImportProgress progress_;
  std::vector<SafeTensors> files_;
  std::map<std::string, Place, std::less<>> places_;
  std::set<std::string, std::less<>> taken_, ignored_;
};

}  // namespace attune::huggingface
