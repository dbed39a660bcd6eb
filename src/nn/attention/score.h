// Attention always has three steps: score -> normalise -> mix. A score measures how well a key matches a
// query. Each is one file that registers itself by name; RNN decoders, the Transformer, GPT and BERT use this
// interface.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "attune/ops.h"
#include "nn/attention/edits.h"
#include "nn/ragged.h"
#include "nn/scope.h"

namespace attune {

// Who attends to whom, and how. A Visibility narrows it.
struct Attending {
  Rows queries, keys;
  Band sees = {};
  int heads = 1;          // more than one only for a score that takes heads
  Tensor positions = {};  // i32 [queries]: in their own sequence
  Tensor centres = {};    // i32 [queries]: among the keys, if they are not those of Band
  Tensor gaussian = {};   // [queries]: centres of Gaussians with deviation `sigma` that multiply the weights
  double sigma = 0;
  Tensor bias = {};       // [2 r + 1, heads]: added to the energies by distance; see AttentionOptions
  Tensor relative = {};   // [2 r + 1, size of a head]: vectors added to the keys by distance
  Tensor pair_bias = {};  // [pairs, heads]: added to the energies
  Tensor places = {};     // the row of each key if they are not in order; only for such a score
  std::shared_ptr<const Edges> edges = nullptr;  // of a graph; null: none are given
  Dropout dropout = {};
  Lens* lens = nullptr;
  AttentionName name = {};
  const AttentionEdits* edits = nullptr;  // of these weights
  int64_t head = 0;                       // which one it is, for edits
  bool reversed = false;                  // the last key is the first token, for edits

  bool sees_all() const { return sees == Band(); }
  // Neither narrowed nor biased, and no weight is dropped.
  bool is_plain() const { return sees_all() && !bias && fits_kernels() && dropout.p == 0; }
  // Kernels that compute all heads at once know bands and biases.
  bool fits_kernels() const { return !gaussian && !relative && !pair_bias && edits == nullptr; }
};

// Properties of a score, known before it is made, so that a configuration can refuse what does not fit.
struct ScoreTraits {
  bool one_size = false;      // queries and keys must have the same size
  bool takes_heads = false;   // attend() computes several heads at once, with a kernel and no parameters
  bool whole_series = false;  // queries and keys must be one sequence, all of which is there
};

class Score {
 public:
  static constexpr ScoreTraits kTraits = {};  // a score with other traits hides this one

  virtual ~Score() = default;

  // Whatever can be computed once per sentence instead of once per query: h [tokens, key size] -> [tokens,
  // any].
  virtual Tensor keys(const Tensor& h) const { return h; }

  // One number per query and key of its sentence, [pairs]; `keys` came from keys().
  virtual Tensor energy(const Tensor& query, const Tensor& keys, const Attending& who) const = 0;

  // sum_j softmax_j(energy_ij) value_j of one head. This defines its meaning; scores with a fused kernel
  // override it.
  virtual Tensor attend(const Tensor& query, const Tensor& keys, const Tensor& values,
                        const Attending& who) const;
};

// sum_j softmax_j(energy_ij) value_j, with all that `who` says of energies and weights.
Tensor mixed_by_energy(const Tensor& energy, const Tensor& values, const Attending& who);

struct ScoreSizes {
  int64_t query, key;
  int64_t hidden;  // of a score with a hidden layer
};

// An unknown name, or sizes that do not fit, is a UsageError.
std::unique_ptr<Score> make_score(std::string_view name, const Scope& p, const ScoreSizes& sizes);
ScoreTraits score_traits(std::string_view name);

std::vector<std::string> score_names();
// The name of a score, as a configuration gives it; others, and authors' names, are UsageErrors that say what
// to write. `more` are further words that may stand there.
void require_score(const std::string& name, const std::vector<std::string>& more = {});
// Refuses scores for whole series, for a model that writes one token after another.
void require_score_of_steps(const std::string& name);
std::vector<std::string> score_names(bool ScoreTraits::*trait, bool has = true);  // of those that have it

struct ScoreEntry {
  std::string name;
  ScoreTraits traits;
  std::unique_ptr<Score> (*make)(const Scope&, const ScoreSizes&);
};
void register_score(ScoreEntry entry);

// For a score S with the constructor S(Scope, ScoreSizes).
template <class S>
struct RegisterScore {
  explicit RegisterScore(std::string_view name) {
    register_score({std::string(name), S::kTraits,
                    [](const Scope& p, const ScoreSizes& sizes) -> std::unique_ptr<Score> {
                      return std::make_unique<S>(p, sizes);
                    }});
  }
};

}  // namespace attune
