#include <algorithm>
#include <cstdlib>

#include "base/check.h"
#include "ops/product/bf16/product.h"

#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace attune {
namespace {

#if defined(__x86_64__) && defined(__linux__)

struct Leaf {
  unsigned a = 0, b = 0, c = 0, d = 0;
};
Leaf cpuid(unsigned number, unsigned part) {
  Leaf leaf;
  __get_cpuid_count(number, part, &leaf.a, &leaf.b, &leaf.c, &leaf.d);
  return leaf;
}
bool bit(unsigned word, unsigned index) { return ((word >> index) & 1U) != 0; }

bool has_dot() {
  return __builtin_cpu_supports("avx512bf16") != 0 && __builtin_cpu_supports("avx512bw") != 0;
}

// The tiles' 8 KB of state belong to a process only after it has asked for them; all of its threads then have
// them. The system refuses if a thread's stack for signals is too small to save them.
bool asks_for_tiles() {
  constexpr long kAskPermission = 0x1023, kTileData = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, kAskPermission, kTileData) == 0;
}
bool has_amx() {
  constexpr unsigned kTile = 24, kBf16 = 22;
  static const bool usable = [] {
    const unsigned features = cpuid(7, 0).d;
    return has_dot() && bit(features, kTile) && bit(features, kBf16) && asks_for_tiles();
  }();
  return usable;
}
// Intel's cores take two cycles for a product of pairs, so that multiplying f32 numbers is faster.
bool dot_is_fast() { return has_dot() && __builtin_cpu_is("amd") != 0; }

#else

bool has_dot() { return false; }
bool has_amx() { return false; }
bool dot_is_fast() { return false; }

#endif

Bf16Scheme bound_from_environment() {
  const char* value = std::getenv("ATTUNE_BF16");
  if (value == nullptr || *value == '\0')
    return dot_is_fast() || has_amx() ? Bf16Scheme::amx : Bf16Scheme::widen;
  for (const Bf16Scheme scheme : {Bf16Scheme::widen, Bf16Scheme::dot, Bf16Scheme::amx})
    if (name(scheme) == value) return scheme;
  fail("ATTUNE_BF16={}: write widen, dot or amx", value);
}

}  // namespace

std::string_view name(Bf16Scheme scheme) {
  switch (scheme) {
    case Bf16Scheme::widen: return "widen";
    case Bf16Scheme::dot: return "dot";
    case Bf16Scheme::amx: return "amx";
  }
  fail("Bf16Scheme: unknown value {}", static_cast<int>(scheme));
}

bool has_bf16_scheme(Bf16Scheme scheme) {
  return scheme == Bf16Scheme::widen || (scheme == Bf16Scheme::dot ? has_dot() : has_amx());
}

Bf16Scheme fastest_bf16_scheme() {
  static const Bf16Scheme fastest = [] {
    const Bf16Scheme bound = bound_from_environment();
    for (const Bf16Scheme scheme : {Bf16Scheme::amx, Bf16Scheme::dot})
      if (scheme <= bound && has_bf16_scheme(scheme)) return scheme;
    return Bf16Scheme::widen;
  }();
  return fastest;
}

void multiply_bf16(Bf16Scheme scheme, const Bf16Product& product) {
  if (product.depth == 0) {
    for (size_t i = 0; i < product.m && !product.accumulate; ++i)
      std::fill(product.c + i * product.c_stride + product.begin,
                product.c + i * product.c_stride + product.end, 0.f);
    return;
  }
  switch (scheme) {
    case Bf16Scheme::widen: return multiply_bf16_widen(product);
    case Bf16Scheme::dot: return multiply_bf16_dot(product);
    case Bf16Scheme::amx: return multiply_bf16_amx(product);
  }
}

}  // namespace attune
