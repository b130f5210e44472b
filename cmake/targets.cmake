# Instruction sets the SIMD kernels are built for; the best one is chosen when the program runs.
# Dropping the sets in between keeps the build short: plain x86-64 (scalar code in Highway 1.0.3),
# then AVX2 and AVX-512.
set(disabled_targets "HWY_SSSE3|HWY_SSE4|HWY_AVX3_DL")
# ThreadSanitizer looks at what threads share, which is the same for every instruction set.
if(WEFT_SANITIZE STREQUAL "thread")
  string(APPEND disabled_targets "|HWY_AVX2|HWY_AVX3")
endif()
add_compile_definitions("HWY_DISABLED_TARGETS=(${disabled_targets})")
