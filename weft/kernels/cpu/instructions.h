// What instructions beyond Highway's the processor has, and the system lets programs use.
#ifndef WEFT_KERNELS_CPU_INSTRUCTIONS_H_
#define WEFT_KERNELS_CPU_INSTRUCTIONS_H_

namespace weft::kernels::cpu {

// AMX tiles with products of BF16, or of I8; AVX-512 is there as well. The first call asks the
// system for leave to use them.
bool has_bf16_tiles();
bool has_int8_tiles();

// AVX-512's dot products of bytes (VNNI), and of pairs of BF16.
bool has_byte_dots();
bool has_bf16_dots();

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_INSTRUCTIONS_H_
