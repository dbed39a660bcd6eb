#include "convert/llama2c/file.h"

#include <fmt/core.h>

#include <array>
#include <cstring>

#include "attune/error.h"
#include "text/sentencepiece/writer.h"

namespace attune::llama2c {
namespace {

constexpr size_t kHeader = 7;

// The numbers in the file, one tensor after another.
class Numbers {
 public:
  Numbers(std::shared_ptr<const FileBytes> file, const Sizes& sizes) : file_(std::move(file)) {
    const auto wanted = static_cast<size_t>(sizes.numbers()), there = file_->bytes().size() - position_;
    if (there % sizeof(float) != 0 || there / sizeof(float) != wanted)
      throw UsageError(
          fmt::format("{}: byte {}: the model's sizes require {} more numbers, but there are {} bytes",
                      file_->path().string(), position_, wanted, there));
  }

  Tensor next(const Shape& shape) {
    const Tensor tensor(shape);
    const auto bytes = std::as_writable_bytes(tensor.span<float>());
    std::memcpy(bytes.data(), file_->bytes().data() + position_, bytes.size());
    position_ += bytes.size();
    return tensor;
  }

 private:
  std::shared_ptr<const FileBytes> file_;
  size_t position_ = kHeader * sizeof(int32_t);
};

void copy_rows(const Tensor& from, int64_t from_row, const Tensor& to, int64_t to_row, int64_t count) {
  to.view_rows(to_row, to_row + count).copy_from(from.view_rows(from_row, from_row + count));
}

// Reorders a head's rows: pairs of neighbours become pairs across its halves; see rotary().
void copy_turned(const Tensor& from, int64_t from_row, const Tensor& to, int64_t to_row, int64_t head) {
  for (int64_t i = 0; i < head; ++i)
    copy_rows(from, from_row + (i < head / 2 ? 2 * i : 2 * (i - head / 2) + 1), to, to_row + i, 1);
}

// [q; k; v]
Tensor joined_heads(const Tensor& q, const Tensor& k, const Tensor& v, const Sizes& sizes) {
  const Tensor qkv({sizes.d + 2 * sizes.kv(), sizes.d});
  const int64_t head = sizes.head();
  for (int64_t h = 0; h < sizes.heads; ++h) copy_turned(q, h * head, qkv, h * head, head);
  for (int64_t h = 0; h < sizes.kv_heads; ++h) copy_turned(k, h * head, qkv, sizes.d + h * head, head);
  copy_rows(v, 0, qkv, sizes.d + sizes.kv(), sizes.kv());
  return qkv;
}

SentencePiece piece_of(std::string text, float score, int64_t number) {
  constexpr int64_t kFirstByte = 3;
  if (number == 0) return {"<unk>", 0, PieceType::unknown};
  if (number == 1) return {"<s>", 0, PieceType::control};
  if (number == 2) return {"</s>", 0, PieceType::control};
  if (number < kFirstByte + 256)
    return {fmt::format("<0x{:02X}>", number - kFirstByte), score, PieceType::byte};
  for (size_t at = 0; (at = text.find(' ', at)) != std::string::npos;) text.replace(at, 1, "▁");
  return {std::move(text), score};
}

}  // namespace

std::optional<Sizes> sizes_of(std::span<const std::byte> model) {
  std::array<int32_t, kHeader> header{};
  if (model.size() < sizeof(header)) return std::nullopt;
  std::memcpy(header.data(), model.data(), sizeof(header));
  const Sizes sizes{header[0], header[1],    header[2], header[3], header[4], std::abs(int64_t{header[5]}),
                    header[6], header[5] < 0};
  constexpr int64_t kMost = 1 << 20;
  for (const int64_t size :
       {sizes.d, sizes.hidden, sizes.layers, sizes.heads, sizes.kv_heads, sizes.words, sizes.positions})
    if (size <= 0 || size > kMost) return std::nullopt;
  if (sizes.d % sizes.heads != 0 || sizes.heads % sizes.kv_heads != 0 || sizes.head() % 2 != 0)
    return std::nullopt;
  return sizes;
}

std::map<std::string, Tensor, std::less<>> read_weights(std::shared_ptr<const FileBytes> model,
                                                        const Sizes& s) {
  Numbers numbers(std::move(model), s);
  std::map<std::string, Tensor, std::less<>> weights;
  weights["words.weight"] = numbers.next({s.words, s.d});
  const auto all = [&](int64_t rows, int64_t columns) { return numbers.next({s.layers * rows, columns}); };
  const Tensor norm = all(1, s.d), q = all(s.d, s.d), k = all(s.kv(), s.d), v = all(s.kv(), s.d),
               out = all(s.d, s.d), ff_norm = all(1, s.d), gate = all(s.hidden, s.d),
               ff_out = all(s.d, s.hidden), in = all(s.hidden, s.d);
  const auto of = [](const Tensor& stack, int64_t i, int64_t rows) {
    return stack.view_rows(i * rows, (i + 1) * rows).clone();
  };
  for (int64_t i = 0; i < s.layers; ++i) {
    const std::string layer = fmt::format("decoder.layer{}.", i);
    weights[layer + "self.qkv.weight"] = joined_heads(of(q, i, s.d), of(k, i, s.kv()), of(v, i, s.kv()), s);
    weights[layer + "self.qkv.bias"] = Tensor::zeros({s.d + 2 * s.kv()});
    weights[layer + "self.out.weight"] = of(out, i, s.d);
    weights[layer + "self.out.bias"] = Tensor::zeros({s.d});
    weights[layer + "self.norm.gamma"] = of(norm, i, 1).view({s.d});
    weights[layer + "feed_forward.norm.gamma"] = of(ff_norm, i, 1).view({s.d});
    weights[layer + "feed_forward.gate.weight"] = of(gate, i, s.hidden);
    weights[layer + "feed_forward.in.weight"] = of(in, i, s.hidden);
    weights[layer + "feed_forward.out.weight"] = of(ff_out, i, s.d);
  }
  weights["decoder.norm.gamma"] = numbers.next({s.d});
  numbers.next({s.positions, s.head()});  // attune computes its own
  if (s.own_output) weights["output.weight"] = numbers.next({s.words, s.d});
  weights["output.bias"] = Tensor::zeros({s.words});
  return weights;
}

std::shared_ptr<const Vocabulary> read_vocabulary(const std::filesystem::path& path, int64_t words) {
  const std::string content = read_file(path);
  size_t position = sizeof(int32_t);
  const auto take = [&](size_t count) {
    if (position > content.size() || count > content.size() - position)
      throw UsageError(fmt::format("{}: byte {}: the file ends within its tokens", path.string(), position));
    position += count;
    return content.data() + position - count;
  };
  std::vector<SentencePiece> pieces;
  for (int64_t i = 0; i < words; ++i) {
    float score = 0;
    int32_t length = 0;
    std::memcpy(&score, take(sizeof(score)), sizeof(score));
    std::memcpy(&length, take(sizeof(length)), sizeof(length));
    if (length < 0)
      throw UsageError(
          fmt::format("{}: byte {}: token {} has a negative length", path.string(), position, i));
    const std::string text(take(static_cast<size_t>(length)), static_cast<size_t>(length));
    pieces.push_back(piece_of(text, score, i));
  }
  return parse_vocabulary(sentencepiece_model(pieces, VocabularyKind::bpe), path.string());
}

}  // namespace attune::llama2c
