// AttentionEdits: attention that a model is made to have in the place of its own. What would it write without
// a head, or if it looked elsewhere?
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "attune/lens.h"

namespace attune {

struct Attending;

struct AttentionEdit {
  AttentionName where = {};
  std::optional<int64_t> head = {};   // none: every head
  std::optional<int64_t> query = {};  // the position that looks; none: all
  std::optional<int64_t> key = {};    // the position that gets all the weight; none: no key gets any

  bool operator==(const AttentionEdit&) const = default;
};

class AttentionEdits {
 public:
  AttentionEdits() = default;
  explicit AttentionEdits(std::vector<AttentionEdit> all) : all_(std::move(all)) {}

  const std::vector<AttentionEdit>& all() const { return all_; }
  bool change(AttentionName name) const;
  // Of one head, [pairs]; later edits win. A key that there is not (yet) changes nothing.
  Tensor changed(const Tensor& weights, const Attending& who) const;

 private:
  std::vector<AttentionEdit> all_;
};

}  // namespace attune
