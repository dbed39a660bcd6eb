#include "text/bytes/compression.h"

#include <fmt/core.h>

#include "attune/error.h"
#include "base/registry.h"

namespace attune {
namespace {

constexpr size_t kBuffer = 1 << 16;

Registry<Compression>& registry() {
  static Registry<Compression> compressions("compression");
  return compressions;
}

}  // namespace

RegisterCompression::RegisterCompression(Compression compression) { registry().add(std::move(compression)); }

const std::vector<Compression>& compressions() { return registry().entries(); }

const Compression* find_compression(std::string_view head) {
  for (const Compression& one : compressions())
    if (head.starts_with(one.magic)) return &one;
  return nullptr;
}

std::string_view without_compression(std::string_view path) {
  for (const Compression& one : compressions())
    if (path.ends_with(one.extension)) return path.substr(0, path.size() - one.extension.size());
  return path;
}

Decoder::Decoder(std::unique_ptr<ByteSource> from, std::string path)
    : from_(std::move(from)), path_(std::move(path)), buffer_(kBuffer) {}

void Decoder::damaged(std::string_view why) const {
  refuse(fmt::format("the compressed file is damaged ({})", why));
}

void Decoder::refuse(std::string_view why) const { throw UsageError(fmt::format("{}: {}", path_, why)); }

size_t Decoder::read(std::span<char> to) {
  while (!done_) {
    if (input_.empty() && !last_) {
      input_ = std::span(buffer_).first(from_->read(buffer_));
      last_ = input_.empty();
    }
    if (between_ && (input_.empty() || !goes_on(input_))) {
      done_ = true;
      break;
    }
    const Step step = this->step(input_, to, last_);
    input_ = input_.subspan(step.taken);
    between_ = step.ended;
    if (step.given > 0) return step.given;
    if (step.taken > 0 || step.ended || (input_.empty() && !last_)) continue;
    if (input_.empty()) refuse("the compressed file is incomplete; it was cut off");
    damaged("it makes no sense");
  }
  return 0;
}

}  // namespace attune
