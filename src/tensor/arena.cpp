#include "tensor/arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace attune {
namespace {

constexpr size_t kSmallestBlock = size_t{8} << 20;

size_t aligned(size_t bytes) {
  return std::max((bytes + Arena::kAlignment - 1) / Arena::kAlignment, size_t{1}) * Arena::kAlignment;
}

// The tensors of a thread may outlive it; its arena then lives on with them.
struct ThreadArena {
  std::shared_ptr<Arena> own = std::make_shared<Arena>(), current = own;
  ~ThreadArena() { own->retire(); }
};

std::shared_ptr<Arena>& arena_of_thread() {
  thread_local ThreadArena arena;
  return arena.current;
}

}  // namespace

void Arena::Unmap::operator()(std::byte* memory) const { munmap(memory, bytes); }

const std::shared_ptr<Arena>& Arena::current() { return arena_of_thread(); }

Arena::Use::Use(std::shared_ptr<Arena> arena) : before_(std::exchange(arena_of_thread(), std::move(arena))) {}

Arena::Use::~Use() { arena_of_thread() = std::move(before_); }

void Arena::add_block(size_t bytes) {
  // Half as much again as there is, so that steps of other sizes find room too. Untouched pages cost nothing.
  bytes = std::max(bytes, stats_.reserved / 2);
  bytes = (std::max(bytes, kSmallestBlock) + kSmallestBlock - 1) / kSmallestBlock * kSmallestBlock;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  check(memory != MAP_FAILED, "out of memory: {} MB more are needed for tensors; use smaller batches",
        bytes >> 20);
  madvise(memory, bytes, MADV_HUGEPAGE);
  auto* begin = static_cast<std::byte*>(memory);
  blocks_.emplace(begin, Block(begin, Unmap{bytes}));
  stats_.reserved += bytes;
  ++stats_.blocks_made;
  add_free(begin, bytes);
}

void Arena::add_free(std::byte* begin, size_t bytes) {
  free_by_address_.emplace(begin, bytes);
  free_by_size_.insert({bytes, begin});
}

void Arena::remove_free(std::map<std::byte*, size_t>::iterator piece) {
  free_by_size_.erase({piece->second, piece->first});
  free_by_address_.erase(piece);
}

std::byte* Arena::allocate(size_t bytes) {
  bytes = aligned(bytes);
  const std::lock_guard lock(mutex_);
  auto fit = free_by_size_.lower_bound({bytes, nullptr});
  if (fit == free_by_size_.end()) {
    add_block(bytes);
    fit = free_by_size_.lower_bound({bytes, nullptr});
  }
  const Free piece = *fit;
  remove_free(free_by_address_.find(piece.begin));
  if (piece.bytes > bytes) add_free(piece.begin + bytes, piece.bytes - bytes);
  stats_.used += bytes;
  stats_.peak = std::max(stats_.peak, stats_.used);
  return piece.begin;
}

void Arena::release(std::byte* begin, size_t bytes) {
  bytes = aligned(bytes);
  const std::lock_guard lock(mutex_);
  stats_.used -= bytes;
  auto next = free_by_address_.upper_bound(begin);
  if (next != free_by_address_.begin()) {
    const auto previous = std::prev(next);
    if (previous->first + previous->second == begin && !blocks_.contains(begin)) {
      begin = previous->first;
      bytes += previous->second;
      remove_free(previous);
    }
  }
  if (next != free_by_address_.end() && begin + bytes == next->first && !blocks_.contains(next->first)) {
    bytes += next->second;
    remove_free(next);
  }
  add_free(begin, bytes);
  if (retired_) give_back_free_blocks();
}

bool Arena::is_free(const Block& block) const {
  const auto piece = free_by_address_.find(block.get());
  return piece != free_by_address_.end() && piece->second == block.get_deleter().bytes;
}

size_t Arena::give_back_free_blocks() {
  size_t bytes = 0;
  std::erase_if(blocks_, [&](const auto& entry) {
    if (!is_free(entry.second)) return false;
    const auto piece = free_by_address_.find(entry.first);
    bytes += piece->second;
    remove_free(piece);
    return true;
  });
  stats_.reserved -= bytes;
  return bytes;
}

void Arena::reset() {
  const std::lock_guard lock(mutex_);
  stats_.peak = stats_.used;
  const auto count = std::ranges::count_if(blocks_, [&](const auto& entry) { return is_free(entry.second); });
  if (count >= 2) add_block(give_back_free_blocks());
}

void Arena::retire() {
  const std::lock_guard lock(mutex_);
  retired_ = true;
  give_back_free_blocks();
}

Arena::Stats Arena::stats() const {
  const std::lock_guard lock(mutex_);
  return stats_;
}

}  // namespace attune
