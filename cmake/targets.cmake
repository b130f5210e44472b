# Instruction sets the SIMD kernels are built for; the best one is chosen when the program runs.
# Dropping the sets in between keeps the build short: plain x86-64 (scalar code in Highway 1.0.3),
# then AVX2 and AVX-512.
add_compile_definitions("HWY_DISABLED_TARGETS=(HWY_SSSE3|HWY_SSE4|HWY_AVX3_DL)")
