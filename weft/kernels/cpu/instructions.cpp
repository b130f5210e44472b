#include "weft/kernels/cpu/instructions.h"

#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace weft::kernels::cpu {
namespace {

struct Tiles {
  bool bf16 = false, int8 = false;
};

bool has_avx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

Tiles find_tiles() {
  constexpr long kRequestPermission = 0x1023, kTileData = 18;  // ARCH_REQ_XCOMP_PERM, AMX
  constexpr unsigned kTileBit = 1u << 24, kBf16Bit = 1u << 22, kInt8Bit = 1u << 25;
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) == 0) return {};
  if (!has_avx512() || (edx & kTileBit) == 0) return {};
  if (syscall(SYS_arch_prctl, kRequestPermission, kTileData) != 0) return {};
  return {(edx & kBf16Bit) != 0, (edx & kInt8Bit) != 0};
}

// Tiles require support by the processor and permission by the system (arch_prctl).
const Tiles& tiles() {
  static const Tiles found = find_tiles();
  return found;
}

}  // namespace

bool has_bf16_tiles() { return tiles().bf16; }
bool has_int8_tiles() { return tiles().int8; }

bool has_byte_dots() {
  static const bool found = has_avx512() && __builtin_cpu_supports("avx512vnni");
  return found;
}

bool has_bf16_dots() {
  static const bool found = has_avx512() && __builtin_cpu_supports("avx512bf16");
  return found;
}

}  // namespace weft::kernels::cpu
