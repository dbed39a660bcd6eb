// Tables of numbers in text files: a first pass finds where every 256th row begins; the rows between two such
// places are a block, which is read when it is asked for.
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "attune/error.h"
#include "io/files/file.h"
#include "io/files/parts.h"
#include "vectors/number_table.h"
#include "vectors/row_file.h"

namespace attune {
namespace {

constexpr int64_t kBlockRows = 256;

class TextRows final : public RowFile {
 public:
  TextRows(const std::string& path, bool times) : path_(path), format_{path, times} {
    find_blocks();
    file_ = open_to_read(path);
    Vectors first;
    if (blocks_.size() > 1) parse(0, format_, first);
    if (first.rows == 0) throw UsageError(fmt::format("{}: there are no numbers in it", path));
    // A heading is a line, but not a row.
    heading_ = std::min(kBlockRows, lines_) - first.rows;
    rows_ = lines_ - heading_;
    width_ = first.width;
    keep(0, std::move(first.numbers));
  }

  std::vector<float> read(int64_t first, int64_t end) override {
    std::vector<float> numbers;
    numbers.reserve(static_cast<size_t>((end - first) * width_));
    while (first < end) {
      const int64_t number = (first + heading_) / kBlockRows;
      const int64_t begin = std::max<int64_t>(0, number * kBlockRows - heading_);
      const int64_t last = std::min(end, (number + 1) * kBlockRows - heading_);
      const std::vector<float>& block = block_numbered(number);
      numbers.insert(numbers.end(), block.begin() + (first - begin) * width_,
                     block.begin() + (last - begin) * width_);
      first = last;
    }
    return numbers;
  }

  size_t kept() const override { return kept_numbers_ + 2 * blocks_.size(); }

 private:
  struct Place {
    uint64_t byte = 0;
    int64_t line = 1;
  };

  // The beginnings of blocks, and the end of the last one.
  void find_blocks() {
    uint64_t at = 0, begin = 0;  // of the line
    int64_t line = 1;
    bool blank = true;
    const auto end_of_line = [&] {
      if (!blank && lines_++ % kBlockRows == 0)
        blocks_.push_back({lines_ == 1 ? 0 : begin, lines_ == 1 ? 1 : line});
      blank = true;
      begin = at;
      ++line;
    };
    see_file(path_, [&](std::span<const std::byte> piece) {
      for (const std::byte byte : piece) {
        ++at;
        const char c = static_cast<char>(byte);
        if (c == '\n')
          end_of_line();
        else if (c != ' ' && c != '\t' && c != '\r')
          blank = false;
      }
    });
    end_of_line();
    blocks_.push_back({at, line});
  }

  void parse(int64_t number, TableFormat& format, Vectors& to) const {
    const Place &begin = blocks_[static_cast<size_t>(number)],
                &end = blocks_[static_cast<size_t>(number) + 1];
    std::string text(end.byte - begin.byte, '\0');
    read_part(file_, begin.byte, std::as_writable_bytes(std::span(text)), path_);
    read_number_rows(text, begin.line, format, to);
  }

  const std::vector<float>& block_numbered(int64_t number) {
    if (const auto found = kept_.find(number); found != kept_.end()) return found->second;
    Vectors rows{0, width_};
    TableFormat format = format_;
    parse(number, format, rows);
    if (rows.rows != std::min(kBlockRows, lines_ - number * kBlockRows))
      throw UsageError(path_ + ": it changed while it was read");
    return keep(number, std::move(rows.numbers));
  }

  const std::vector<float>& keep(int64_t number, std::vector<float> numbers) {
    kept_numbers_ += numbers.size();
    return kept_[number] = std::move(numbers);
  }

  std::string path_;
  Descriptor file_;
  TableFormat format_;  // as the first block has it
  int64_t lines_ = 0;   // that are not blank
  int64_t heading_ = 0;
  std::vector<Place> blocks_;
  std::map<int64_t, std::vector<float>> kept_;
  size_t kept_numbers_ = 0;
};

}  // namespace

std::unique_ptr<RowFile> open_text_table(const std::string& path, bool times) {
  return std::make_unique<TextRows>(path, times);
}

}  // namespace attune
