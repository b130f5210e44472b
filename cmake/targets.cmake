# Instruction sets the SIMD kernels are built for; the best one is chosen when the program runs.
# Dropping the sets in between keeps the build short: plain x86-64 (scalar code in Highway 1.0.3),
# then AVX2 and AVX-512.
set(disabled_targets "HWY_SSSE3|HWY_SSE4|HWY_AVX3_DL")
# ThreadSanitizer looks at what threads share, which is the same for every instruction set.
if(WEFT_SANITIZE STREQUAL "thread")
  string(APPEND disabled_targets "|HWY_AVX2|HWY_AVX3")
endif()
# Under AddressSanitizer, scalar kernels would take most of the time of the tests. They are left
# out, so these tests require a processor with AVX2.
if(WEFT_SANITIZE MATCHES address AND NOT WEFT_FUZZ)
  add_compile_options(-march=x86-64-v3 -maes -mpclmul)
endif()
add_compile_definitions("HWY_DISABLED_TARGETS=(${disabled_targets})")
