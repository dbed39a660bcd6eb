// SeenAttention: all that a model looked at for one sentence, as numbers, and drawn in several ways.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace attune {

namespace view {
struct Attention;
}

struct SeenLayer {
  // "encoder": the source at itself; "decoder": the output at itself; "cross": the output at the source.
  std::string kind;
  int64_t number = 0;     // from 0
  int64_t heads = 0;      // 1 if all_heads is false
  bool all_heads = true;  // otherwise the text is so long that there is only the mean of the heads
  int64_t queries = 0, keys = 0;
  const float* weights =
      nullptr;  // [heads, queries, keys]; each row sums to 1; lives as long as the SeenAttention
};

// Which matrix to draw. Defaults: cross, else decoder, else encoder; the layer that aligns best; in it the
// head that aligns best, or else the mean of the heads.
struct SeenChoice {
  std::string kind = {};
  std::optional<int64_t> layer = {};  // from 0, or from the end: -1, -2, ..
  std::optional<int64_t> head = {};
};

// Copies share one record.
class SeenAttention {
 public:
  explicit SeenAttention(std::shared_ptr<const view::Attention> seen) : seen_(std::move(seen)) {}

  std::string source() const;
  std::string target() const;  // what was written, or the target that was given
  // The columns of "encoder" and "cross"; the columns of "decoder", what was read before each step; the rows
  // of "cross", what was written in each step.
  const std::vector<std::string>& source_tokens() const;
  const std::vector<std::string>& target_tokens() const;
  const std::vector<std::string>& output_tokens() const;
  std::vector<SeenLayer> layers() const;

  // With pieces merged into words.
  SeenAttention words() const;

  std::string svg(const SeenChoice& choice = {}) const;
  std::string terminal(const SeenChoice& choice = {}) const;  // shades of Unicode's blocks
  std::string json() const;  // BertViz's format, as `attune attend --format json`
  std::string html(const std::string& title = {}) const;  // the interactive page, one file

 private:
  std::shared_ptr<const view::Attention> seen_;
};

}  // namespace attune
