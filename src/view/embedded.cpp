#include "view/embedded.h"

// The assembler includes a file: a literal of that size would cost the compiler seconds.
#define ATTUNE_EMBED(NAME, FILE)                                                                      \
  asm(".section .rodata\n"                                                                            \
      ".hidden attune_" #NAME "_begin\n.hidden attune_" #NAME                                         \
      "_end\n"                                                                                        \
      ".globl attune_" #NAME "_begin\n.globl attune_" #NAME                                           \
      "_end\n"                                                                                        \
      "attune_" #NAME "_begin: .incbin \"" FILE                                                       \
      "\"\n"                                                                                          \
      "attune_" #NAME "_end:\n.previous\n");                                                          \
  extern "C" const char attune_##NAME##_begin[],                                                      \
      attune_##NAME##_end[]; /* NOLINT(modernize-avoid-c-arrays) */                                   \
  static std::string_view embedded_##NAME() {                                                         \
    return {attune_##NAME##_begin, static_cast<size_t>(attune_##NAME##_end - attune_##NAME##_begin)}; \
  }

#ifdef ATTUNE_PAGE
ATTUNE_EMBED(page, ATTUNE_PAGE)
#endif
#ifdef ATTUNE_ENGINE
ATTUNE_EMBED(local_page, ATTUNE_LOCAL_PAGE)
ATTUNE_EMBED(engine_js, ATTUNE_ENGINE "/engine.js")
ATTUNE_EMBED(engine_wasm, ATTUNE_ENGINE "/engine.wasm")
#endif

namespace attune::view {

std::string_view embedded_page() {
#ifdef ATTUNE_PAGE
  return ::embedded_page();
#else
  return {};
#endif
}

Engine embedded_engine() {
#ifdef ATTUNE_ENGINE
  return {::embedded_local_page(), ::embedded_engine_js(), ::embedded_engine_wasm()};
#else
  return {};
#endif
}

}  // namespace attune::view
