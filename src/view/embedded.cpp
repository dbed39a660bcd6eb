#include "view/embedded.h"

#ifdef ATTUNE_PAGE
// The assembler includes the file: a literal of that size would cost the compiler seconds.
asm(".section .rodata\n"
    ".hidden attune_page_begin\n"
    ".hidden attune_page_end\n"
    ".globl attune_page_begin\n"
    ".globl attune_page_end\n"
    "attune_page_begin: .incbin \"" ATTUNE_PAGE
    "\"\n"
    "attune_page_end:\n"
    ".previous\n");
extern "C" const char attune_page_begin[], attune_page_end[];  // NOLINT(modernize-avoid-c-arrays)
#endif

namespace attune::view {

std::string_view embedded_page() {
#ifdef ATTUNE_PAGE
  return {attune_page_begin, static_cast<size_t>(attune_page_end - attune_page_begin)};
#else
  return {};
#endif
}

}  // namespace attune::view
