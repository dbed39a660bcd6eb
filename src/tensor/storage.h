// Storage: the memory of tensors. Its address may change while nobody reads it (Parameters gathers all
// parameters into one flat buffer after they have been handed out).
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "tensor/arena.h"
#include "tensor/precision.h"

namespace attune {

class Kept;

struct Storage {
  std::byte* memory = nullptr;
  size_t bytes = 0;
  std::shared_ptr<const void> keeper;   // keeps borrowed memory alive
  std::shared_ptr<Arena> arena;         // where owned memory returns to
  std::shared_ptr<Kept> kept;           // set while the numbers do not change: forms derived from them
  std::vector<float> scales;            // of the rows of a quantised matrix; see tensor/quantized.h
  Precision products = Precision::f32;  // of the operands of products; see tensor/precision.h
  std::weak_ptr<Storage> rounded;       // to bf16, while somebody keeps it; see ops/product/bf16/pack.h
  bool of_file = false;                 // in a mapped file: released pages can be read again

  explicit Storage(size_t size) : bytes(size), arena(Arena::current()) { memory = arena->allocate(bytes); }
  Storage(std::byte* borrowed, size_t size, std::shared_ptr<const void> owner)
      : memory(borrowed), bytes(size), keeper(std::move(owner)) {}
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;
  ~Storage() { give_back(); }

  // Moves to memory that `owner` keeps alive.
  void move_to(std::byte* borrowed, std::shared_ptr<const void> owner) {
    give_back();
    memory = borrowed;
    keeper = std::move(owner);
  }

 private:
  void give_back() {
    if (arena) arena->release(memory, bytes);
    arena.reset();
  }
};

}  // namespace attune
