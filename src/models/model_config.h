// A model's configuration by the name of its type. Each model registers itself; `type: NAME` chooses it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "attune/lens.h"
#include "base/places.h"
#include "config/entries.h"
#include "models/model.h"
#include "models/size.h"
#include "models/task.h"
#include "nn/input_layer.h"
#include "nn/scope.h"

namespace attune {

// Larger sizes are mistakes.
constexpr int64_t kMostLayers = 1000;          // of a stack
constexpr int64_t kMostNumbers = 65'536;       // of a vector
constexpr int64_t kMostPositions = 1'000'000;  // of a sentence
constexpr int64_t kMostWords = 10'000'000;     // of a vocabulary

// The sizes of the two vocabularies; a joint one counts for both. Of vectors, it is their width.
struct Words {
  int64_t source = 0, target = 0;
  bool vectors = false;                  // the source is not, or not only, words
  Places places = Places::index;         // of the source's tokens
  std::vector<SourceSize> several = {};  // if there are several sources: each of them

  std::vector<SourceSize> sources() const {
    if (!several.empty()) return several;
    return {vectors ? SourceSize{.width = source} : SourceSize{.words = source}};
  }
};
Words words_of(const Vocabularies& vocabularies);

class ModelConfig {
 public:
  virtual ~ModelConfig() = default;

  const std::string& type() const { return type_; }
  virtual void fields(Fields& f) const = 0;  // without `type`
  virtual void fields(FieldSetter& f) = 0;
  virtual void validate() const = 0;  // throws a UsageError that names the key
  virtual const Task& task() const = 0;
  virtual int64_t width() const = 0;    // the d in the learning rate schedule
  virtual int64_t longest() const = 0;  // the most tokens of a sentence; 0: any number
  // The attention for a Guide; null: the model does not attend to a source.
  virtual std::optional<AttentionName> guided_attention() const = 0;
  virtual Entries of_size(Size size) const = 0;  // the keys that make a model of this size
  virtual std::unique_ptr<Model> make(const Scope& p, const Words& words) const = 0;

 protected:
  explicit ModelConfig(std::string type) : type_(std::move(type)) {}

 private:
  std::string type_;
};

std::vector<std::string> model_types();

// How many numbers such a model learns; nothing is filled with values for that.
int64_t count_parameters(const ModelConfig& config, const Words& words);

// The defaults of a type; an unknown type is a UsageError.
std::unique_ptr<ModelConfig> model_config(std::string_view type);

// From entries, one of which is `type`; validated.
std::unique_ptr<ModelConfig> read_model_config(const Entries& entries);

struct ModelType {
  std::string name;
  std::unique_ptr<ModelConfig> (*config)(const std::string& name);
};
void register_model(ModelType type);

// For a configuration C (with fields, validate, model_task, width and longest; guided_attention if it has
// one) and a model M constructed from (Scope, C, Words).
template <class C, class M>
struct RegisterModel {
  explicit RegisterModel(std::string_view type) {
    register_model({std::string(type), [](const std::string& name) -> std::unique_ptr<ModelConfig> {
                      return std::make_unique<Config>(name);
                    }});
  }

 private:
  struct Config final : ModelConfig {
    explicit Config(std::string type) : ModelConfig(std::move(type)) {}
    void fields(Fields& f) const override { C::fields({config, f}); }
    void fields(FieldSetter& f) override { C::fields({config, f}); }
    void validate() const override { config.validate(); }
    const Task& task() const override { return config.model_task(); }
    int64_t width() const override { return config.width(); }
    int64_t longest() const override { return config.longest(); }
    std::optional<AttentionName> guided_attention() const override {
      if constexpr (requires { config.guided_attention(); })
        return config.guided_attention();
      else
        return {};
    }
    Entries of_size(Size size) const override { return C::of_size(size); }
    std::unique_ptr<Model> make(const Scope& p, const Words& words) const override {
      return std::make_unique<M>(p, config, words);
    }
    C config;
  };
};

// Source and target words share one table, so they have to be the same. Vectors have no table to share.
void require_joint(std::string_view key, bool tied, const Words& words);
// How many neighbouring rows of numbers an InputLayer reads together.
void require_convolution(int64_t convolution);
// Refuses vectors.
void require_words(std::string_view type, const Words& words);

}  // namespace attune
