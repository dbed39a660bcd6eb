#include "models/edited_model.h"

#include "nn/close_lens.h"

namespace attune {
namespace {

// In front of the lens of a pass, if it has one.
class EditingLens final : public CloseLens {
 public:
  EditingLens(Lens* lens, const AttentionEdits& edits) : lens_(lens), close_(of(lens)), edits_(edits) {}

  bool wants(AttentionName name) const override { return lens_ != nullptr && lens_->wants(name); }
  void attention(AttentionName name, const Tensor& weights, const Rows& queries, const Rows& keys,
                 int heads) override {
    if (wants(name)) lens_->attention(name, weights, queries, keys, heads);
  }
  void inputs(AttentionName name, const AttentionInputs& inputs) override {
    if (close_ != nullptr && wants(name)) close_->inputs(name, inputs);
  }
  void state(AttentionName::Stack stack, int64_t layer, const Tensor& x) override {
    if (close_ != nullptr) close_->state(stack, layer, x);
  }
  Tensor embedded(AttentionName::Stack stack, const Tensor& x) override {
    return close_ != nullptr ? close_->embedded(stack, x) : x;
  }
  void gates(const RecurrentName& name, const GateValues& values) override {
    if (close_ != nullptr) close_->gates(name, values);
  }
  const AttentionEdits* edits(AttentionName name) const override {
    return edits_.change(name) ? &edits_ : nullptr;
  }

 private:
  Lens* lens_;
  CloseLens* close_;
  const AttentionEdits& edits_;
};

class EditedReader final : public Model {
 public:
  EditedReader(const Model& model, const AttentionEdits& edits) : model_(model), edits_(edits) {}

  Tensor features(const Batch& batch, Pass& pass) const override {
    EditingLens lens(pass.lens(), edits_);
    Pass changed(&lens);
    return model_.features(batch, changed);
  }
  const Tensor& output_weight() const override { return model_.output_weight(); }
  const Tensor& output_bias() const override { return model_.output_bias(); }

 private:
  const Model& model_;
  const AttentionEdits& edits_;
};

class EditedWriter final : public Writer {
 public:
  EditedWriter(const Writer& model, const AttentionEdits& edits) : model_(model), edits_(edits) {}

  std::unique_ptr<DecoderState> start(const Ragged& source, Pass& pass) const override {
    EditingLens lens(pass.lens(), edits_);
    Pass changed(&lens);
    return model_.start(source, changed);
  }
  Tensor step(const Ragged& tokens, DecoderState& state, Pass& pass) const override {
    EditingLens lens(pass.lens(), edits_);
    Pass changed(&lens);
    return model_.step(tokens, state, changed);
  }
  int64_t room(int64_t source_tokens) const override { return model_.room(source_tokens); }
  const Tensor& output_weight() const override { return model_.output_weight(); }
  const Tensor& output_bias() const override { return model_.output_bias(); }

 private:
  const Writer& model_;
  const AttentionEdits& edits_;
};

}  // namespace

std::unique_ptr<Model> edited(const Model& model, const AttentionEdits& edits) {
  if (const auto* writer = dynamic_cast<const Writer*>(&model))
    return std::make_unique<EditedWriter>(*writer, edits);
  return std::make_unique<EditedReader>(model, edits);
}

}  // namespace attune
