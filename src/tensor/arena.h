// Arena: the memory of tensors. Pieces come from a few large blocks, 64-byte aligned; a piece returns when
// its tensor dies and merges with its free neighbours, so a step reuses its own memory and the next step
// finds it whole. docs/decisions/0002-arena.md says why it is not a plain bump allocator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>

namespace attune {

class Arena : public std::enable_shared_from_this<Arena> {
 public:
  static constexpr size_t kAlignment = 64;

  // The arena of the calling thread; a Use object in scope replaces it.
  static const std::shared_ptr<Arena>& current();

  class Use {
   public:
    explicit Use(std::shared_ptr<Arena> arena);
    ~Use();
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    std::shared_ptr<Arena> before_;
  };

  std::byte* allocate(size_t bytes);
  void release(std::byte* piece, size_t bytes);

  // Call this between steps: blocks that are completely free are merged into one block of their total size,
  // so the next step finds contiguous room. Pieces still in use stay valid.
  void reset();

  // Its thread has ended. Blocks without a piece in use are returned to the system, now and whenever the last
  // piece of one is freed.
  void retire();

  struct Stats {
    size_t reserved = 0;      // bytes taken from the system
    size_t used = 0;          // bytes in use now
    size_t peak = 0;          // most bytes in use since the last reset
    int64_t blocks_made = 0;  // how often the system was asked for memory
  };
  Stats stats() const;

 private:
  struct Unmap {
    size_t bytes = 0;
    void operator()(std::byte* memory) const;
  };
  using Block = std::unique_ptr<std::byte, Unmap>;
  struct Free {
    size_t bytes;
    std::byte* begin;
    auto operator<=>(const Free&) const = default;
  };

  void add_block(size_t bytes);
  void add_free(std::byte* begin, size_t bytes);
  void remove_free(std::map<std::byte*, size_t>::iterator piece);
  bool is_free(const Block& block) const;  // as a whole
  size_t give_back_free_blocks();          // to the system; their bytes

  mutable std::mutex mutex_;
  std::map<std::byte*, Block> blocks_;  // by address
  std::map<std::byte*, size_t> free_by_address_;
  std::set<Free> free_by_size_;  // best fit
  Stats stats_;
  bool retired_ = false;
};

}  // namespace attune
