# Compiler flags that all of attune's own targets share.
add_library(attune_flags INTERFACE)
target_compile_options(attune_flags INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor -fno-math-errno
                                              $<$<BOOL:${ATTUNE_WERROR}>:-Werror>)
if(ATTUNE_SANITIZE)
  target_compile_options(attune_flags INTERFACE -fsanitize=${ATTUNE_SANITIZE} -fno-omit-frame-pointer
                                                -fno-sanitize-recover=all)
  target_link_options(attune_flags INTERFACE -fsanitize=${ATTUNE_SANITIZE})
endif()
# Kernels are compiled for a few CPU generations and chosen at run time. Left out are those that a more general target
# serves as well, and SVE, whose vectors have no size that arrays of them could have.
target_compile_definitions(
  attune_flags INTERFACE
  "HWY_DISABLED_TARGETS=(HWY_SSSE3|HWY_AVX3_DL|HWY_SVE|HWY_SVE2|HWY_SVE_256|HWY_SVE2_128)")
