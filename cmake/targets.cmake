# Instruction sets the SIMD kernels are built for; the best one is chosen when the program runs.
# Dropping the sets in between keeps the build short: SSE2 is x86-64's floor, then AVX2 and AVX-512.
add_compile_definitions(
  "HWY_DISABLED_TARGETS=(HWY_SSSE3|HWY_SSE4|HWY_AVX3_DL|HWY_AVX3_ZEN4)")
