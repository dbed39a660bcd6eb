// For tests of search: small random models of every type, and a plain search that recomputes everything.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/yaml.h"
#include "decode/search/search.h"
#include "models/model_config.h"
#include "tensor/constants.h"

namespace attune::testing {

using Ids = std::vector<int32_t>;

// Configurations of models that attend to the source, of those that only write, and of all.
std::vector<std::string> attending_types();
std::vector<std::string> writing_types();
std::vector<std::string> all_types();

// f64, with parameters large enough for distinct probabilities. In f32 they are constants, like those of a
// loaded model.
struct RandomModel {
  Parameters parameters;
  std::optional<Frozen> frozen;
  std::unique_ptr<Model> model;

  RandomModel(const std::string& type, int64_t words, uint64_t seed, DType dtype = DType::f64);
  const Writer& writer() const { return dynamic_cast<const Writer&>(*model); }
};

// The models' distribution for the word after `written`, computed from the beginning.
struct Said {
  std::vector<double> log_p;
  std::vector<float> attention;  // empty if the models do not attend to the source
};
Said next_word(const Ensemble& models, const Ids& source, const Ids& written, const SearchWords& words,
               int64_t attention_layer);

// Beam search by its definition: one sentence, no state between steps, no early end.
std::vector<Hypothesis> plain_beam_search(const Ensemble& models, const Ids& source, const Ids& prefix,
                                          const SearchWords& words, const SearchOptions& options);

// Every output that ends within the maximum length, best first.
std::vector<Hypothesis> all_outputs(const Ensemble& models, const Ids& source, const SearchWords& words,
                                    const SearchOptions& options);

void expect_same(const std::vector<Hypothesis>& actual, const std::vector<Hypothesis>& expected,
                 double tolerance, const std::string& what);

}  // namespace attune::testing
