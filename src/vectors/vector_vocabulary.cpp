#include "vectors/vector_vocabulary.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>

#include "attune/error.h"
#include "config/entries.h"
#include "config/yaml.h"
#include "vectors/sample_files.h"

namespace attune {
namespace {

constexpr std::string_view kHead = "# attune vectors 1\n";

// The content of its file.
struct VectorShape : VectorReading {
  int64_t width = 0;
  bool edges = false;

  static void fields(FieldsOf<VectorShape> f) {
    f("width", &VectorShape::width, "numbers of a row");
    f("edges", &VectorShape::edges, "samples are graphs");
    VectorReading::fields(f);
  }
};

class VectorVocabulary final : public Vocabulary, public VectorSource {
 public:
  explicit VectorVocabulary(const VectorShape& shape) : shape_(shape), files_(shape) {}

  VocabularyKind kind() const override { return VocabularyKind::vectors; }
  bool is_listed() const override { return true; }
  int32_t size() const override { return static_cast<int32_t>(shape_.width); }
  const VectorSource* vectors() const override { return this; }
  const char* file_ending() const override { return ".yml"; }

  int64_t width() const override { return shape_.width; }
  Standardise standardise() const override { return shape_.standardise; }
  bool has_edges() const override { return shape_.edges; }
  bool transposed() const override { return shape_.transposed; }
  Places places() const override { return shape_.places; }

  // The numbers of the sample's rows, which are counted through all samples.
  std::vector<int32_t> encode(std::string_view line) const override {
    if (line.empty()) return {};
    const Sample sample = sample_of(std::string(line));
    std::vector<int32_t> ids(static_cast<size_t>(sample.rows));
    for (size_t i = 0; i < ids.size(); ++i) ids[i] = sample.first + static_cast<int32_t>(i);
    return ids;
  }

  void read(std::span<const int32_t> ids, std::span<float> to) const override {
    const auto wide = static_cast<size_t>(width());
    for_rows(ids, [&](size_t i, const Vectors& rows, size_t row) {
      std::copy_n(rows.numbers.data() + row * wide, wide, to.data() + i * wide);
    });
  }

  void read_places(std::span<const int32_t> ids, std::span<float> to) const override {
    if (places() == Places::time)
      return for_rows(ids, [&](size_t i, const Vectors& rows, size_t row) { to[i] = rows.times[row]; });
    for (size_t i = 0; i < ids.size(); ++i) {
      const Sample sample = sample_with(ids[i]).second;
      const int64_t row = ids[i] - sample.first, line = row / sample.across, column = row % sample.across;
      to[2 * i] = static_cast<float>(line);
      to[2 * i + 1] = static_cast<float>(column);
    }
  }

  PatchShape patches(int32_t id) const override {
    return {sample_with(id).second.across, shape_.patch, shape_.channels};
  }

  std::vector<NodeEdge> edges(int32_t id) const override {
    const auto [line, sample] = sample_with(id);
    return files_.edges(line, sample.rows);
  }

  // The number of the row; of a picture's patches, line and column.
  std::string piece(int32_t id) const override {
    const Sample sample = sample_with(id).second;
    const int64_t row = id - sample.first;
    return sample.across > 0 ? fmt::format("{}.{}", row / sample.across, row % sample.across)
                             : std::to_string(row);
  }
  std::vector<std::string> pieces(std::string_view line) const override {
    std::vector<std::string> all;
    for (const int32_t id : encode(line)) all.push_back(piece(id));
    return all;
  }
  std::vector<size_t> begins(std::string_view line) const override {
    return std::vector<size_t>(encode(line).size(), 0);
  }
  std::optional<int32_t> id(std::string_view /*piece*/) const override { return {}; }

  // There is no way back to text, and there are no symbols.
  std::string decode(std::span<const int32_t> /*ids*/) const override { return ""; }
  std::string join(const std::vector<std::string>& /*pieces*/) const override { return ""; }
  int32_t unk() const override { return -1; }
  int32_t bos() const override { return -1; }
  int32_t eos() const override { return -1; }

  std::string serialized() const override {
    return std::string(kHead) + write_yaml(entries_of(fields_of(shape_)));
  }

 private:
  struct Sample {
    int32_t first = 0;  // the number of its first row
    int64_t rows = 0, across = 0;
  };

  // Calls use(i, the sample of ids[i], its row in it); a sample is read once for ids that follow each other.
  template <class Use>
  void for_rows(std::span<const int32_t> ids, const Use& use) const {
    Vectors rows;
    int32_t first = 0;
    for (size_t i = 0; i < ids.size(); ++i) {
      if (i == 0 || ids[i] < first || ids[i] - first >= rows.rows) {
        const auto [line, sample] = sample_with(ids[i]);
        rows = checked_rows(line);
        first = sample.first;
        if (rows.rows != sample.rows)
          throw UsageError(
              fmt::format("{}: the file has changed: {} rows instead of {}", line, rows.rows, sample.rows));
      }
      use(i, rows, static_cast<size_t>(ids[i] - first));
    }
  }

  Vectors checked_rows(const std::string& line) const {
    Vectors rows = files_.rows(line);
    if (rows.width != width())
      throw UsageError(fmt::format("{}: its rows have {} numbers, but those of other samples have {}", line,
                                   rows.width, width()));
    return rows;
  }

  Sample sample_of(const std::string& line) const {
    {
      const std::scoped_lock lock(mutex_);
      if (const auto known = samples_.find(line); known != samples_.end()) return known->second;
    }
    const Vectors read = checked_rows(line);
    const int64_t rows = read.rows;
    if (shape_.edges) files_.edges(line, rows);  // refuses those that lead nowhere
    const std::scoped_lock lock(mutex_);
    if (const auto known = samples_.find(line); known != samples_.end()) return known->second;
    if (rows > std::numeric_limits<int32_t>::max() - next_)
      throw Error("more than 2^31 rows of numbers were read; use fewer files");
    const Sample sample{next_, rows, read.across};
    next_ += static_cast<int32_t>(rows);
    lines_.emplace(sample.first, samples_.emplace(line, sample).first->first);
    return sample;
  }

  std::pair<std::string, Sample> sample_with(int32_t id) const {
    const std::scoped_lock lock(mutex_);
    const auto after = lines_.upper_bound(id);
    if (after == lines_.begin() || id >= next_) throw Error(fmt::format("there is no row {} of numbers", id));
    const std::string_view line = std::prev(after)->second;
    return {std::string(line), samples_.find(line)->second};
  }

  VectorShape shape_;
  SampleFiles files_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, Sample, std::less<>> samples_;  // by line
  mutable std::map<int32_t, std::string_view> lines_;           // by first row
  mutable int32_t next_ = 0;
};

const RegisterVocabularyFormat registered{
    {.recognises = [](std::string_view content) { return content.starts_with(kHead); },
     .parse = [](std::string content, const std::string& name) -> std::unique_ptr<Vocabulary> {
       VectorShape shape;
       assign(fields_of(shape), read_yaml(content, name));
       shape.validate();
       constexpr int64_t kWidest = 1 << 20;
       if (shape.width <= 0 || shape.width > kWidest)
         throw UsageError(
             fmt::format("{}: width should be from 1 to {}, but is {}", name, kWidest, shape.width));
       return std::make_unique<VectorVocabulary>(shape);
     }}};

}  // namespace

std::unique_ptr<Vocabulary> make_vector_vocabulary(const VectorReading& reading, const std::string& line) {
  VectorShape shape{reading};
  const SampleFiles files(reading);
  shape.width = files.rows(line).width;
  shape.edges = files.names_edges(line);
  return std::make_unique<VectorVocabulary>(shape);
}

}  // namespace attune
