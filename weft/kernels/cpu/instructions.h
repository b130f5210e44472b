// The instruction set that kernels may use, and detection of instructions that Highway does not
// cover and that the system permits.
#ifndef WEFT_KERNELS_CPU_INSTRUCTIONS_H_
#define WEFT_KERNELS_CPU_INSTRUCTIONS_H_

#include <string_view>

namespace weft::kernels::cpu {

// Limits all kernels to an instruction set: "scalar", "avx2", "avx2_vnni", "avx512" (VNNI and BF16
// included) or "amx", which is no limit. No kernel may be running. Throws OptionError for another
// name.
void limit_instructions(std::string_view name);

// The functions below are false beyond the limit.

// AMX tiles with BF16 or I8 products; implies AVX-512. The first call requests permission from the
// system.
bool has_bf16_tiles();
bool has_int8_tiles();

// AVX-VNNI: dot products of bytes in 256 bits, without AVX-512.
bool has_avx_vnni();

// AVX-512 dot products of bytes (VNNI) and of BF16 pairs.
bool has_byte_dots();
bool has_bf16_dots();

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_INSTRUCTIONS_H_
