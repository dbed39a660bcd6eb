// rows of numbers  ->  as many rows of numbers
#include <fmt/core.h>

#include "config/rules.h"
#include "models/read_tokens.h"
#include "models/task.h"
#include "text/vocabulary/vector_source.h"

namespace attune {
namespace {

class Predict final : public Task {
 public:
  explicit Predict(ErrorKind error) : error_(error) {}

  std::string_view does() const override { return "predicts numbers"; }
  std::string_view verb() const override { return "predict"; }
  TaskColumns columns() const override { return {2, 2}; }
  TargetVocabulary target_vocabulary() const override { return TargetVocabulary::numbers; }
  std::vector<std::string> default_metrics() const override { return {"mse", "mae"}; }

  void check(const Vocabularies& vocabularies) const override {
    const VectorSource* const read = vocabularies.source->vectors();
    require(read != nullptr, "source",
            "a model that predicts numbers reads rows of numbers: source: vectors");
    require(read->standardise() != Standardise::columns || read->width() == vocabularies.target->size(),
            "standardise",
            "with 'columns' the answers need as many columns as the source, which has {} where they have {}",
            read->width(), vocabularies.target->size());
  }

  std::vector<TokenIds> example(const Vocabularies& vocabularies, const CorpusLine& line) const override {
    TokenIds read = vocabularies.source->encode(line.columns[0]),
             answers = vocabularies.target->encode(line.columns[1]);
    if (read.size() != answers.size())
      refuse_line(line.number,
                  fmt::format("there are {} rows to read but {} to predict; a model answers each "
                              "row with a row",
                              read.size(), answers.size()));
    return {std::move(read), std::move(answers)};
  }

  // Answers are standardised like the rows that they belong to: by the mean and deviation of what was read.
  Batch batch(const Vocabularies& vocabularies, const Examples& examples) const override {
    const ReadNumbers read = read_numbers(*vocabularies.source, sentences(examples, 0));
    Batch batch{.source = read.tokens, .given = {}, .segments = {}, .expected = {}};
    batch.error = error_;
    const int64_t width = vocabularies.target->size();
    if (read.mean) {
      batch.mean = as_wide_as(read.mean, width);
      batch.unit = as_wide_as(read.unit, width);
    }
    if (examples[0].sides.size() < 2) return batch;
    batch.numbers = raw_numbers(*vocabularies.target->vectors(), side(examples, 1).ids.span<int32_t>());
    const auto numbers = batch.numbers.span<float>();
    for (size_t i = 0; batch.mean && i < numbers.size(); ++i)
      numbers[i] = (numbers[i] - batch.mean.span<float>()[i]) / batch.unit.span<float>()[i];
    return batch;
  }

 private:
  // `x` if it has that many columns; otherwise its rows, each of which has one number throughout.
  static Tensor as_wide_as(const Tensor& x, int64_t width) {
    if (x.columns() == width) return x;
    Tensor wide({x.rows(), width});
    for (int64_t r = 0; r < x.rows(); ++r)
      for (int64_t c = 0; c < width; ++c)
        wide.data<float>()[r * width + c] = x.data<float>()[r * x.columns()];
    return wide;
  }

  ErrorKind error_;
};

}  // namespace

const Task& predict_task(ErrorKind error) {
  static const Predict squared(ErrorKind::squared), absolute(ErrorKind::absolute);
  return error == ErrorKind::squared ? squared : absolute;
}

}  // namespace attune
