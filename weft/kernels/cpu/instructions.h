// Detection of instructions that Highway does not cover and that the system permits.
#ifndef WEFT_KERNELS_CPU_INSTRUCTIONS_H_
#define WEFT_KERNELS_CPU_INSTRUCTIONS_H_

namespace weft::kernels::cpu {

// AMX tiles with BF16 or I8 products; implies AVX-512. The first call requests permission from the
// system.
bool has_bf16_tiles();
bool has_int8_tiles();

// AVX-512 dot products of bytes (VNNI) and of BF16 pairs.
bool has_byte_dots();
bool has_bf16_dots();

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_INSTRUCTIONS_H_
