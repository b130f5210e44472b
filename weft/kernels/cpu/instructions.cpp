#include "weft/kernels/cpu/instructions.h"

#include <cpuid.h>
#include <hwy/targets.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

#include "weft/core/error.h"
#include "weft/kernels/cpu/products/gemm_part.h"

namespace weft::kernels::cpu {
namespace {

enum class InstructionSet { kScalar, kAvx2, kAvx2Vnni, kAvx512, kAmx };

InstructionSet instruction_set_named(std::string_view name) {
  if (name == "scalar") return InstructionSet::kScalar;
  if (name == "avx2") return InstructionSet::kAvx2;
  if (name == "avx2_vnni") return InstructionSet::kAvx2Vnni;
  if (name == "avx512") return InstructionSet::kAvx512;
  if (name == "amx") return InstructionSet::kAmx;
  fail<OptionError>("WEFT_MAX_CPU_ISA",
                    "expected scalar, avx2, avx2_vnni, avx512 or amx, got \"{}\"", name);
}

constexpr int64_t kHighwayAvx512 = HWY_AVX3 | HWY_AVX3_DL;

int64_t disabled_highway_targets(InstructionSet set) {
  if (set == InstructionSet::kScalar) return kHighwayAvx512 | HWY_AVX2;
  return set < InstructionSet::kAvx512 ? kHighwayAvx512 : 0;
}

std::atomic<InstructionSet> limit{InstructionSet::kAmx};

bool may_use(InstructionSet set) { return set <= limit.load(std::memory_order_relaxed); }

struct Tiles {
  bool bf16 = false, int8 = false;
};

bool has_avx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

bool find_avx_vnni() {
  constexpr unsigned kVnniBit = 1u << 4;
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) == 0) return false;
  return __builtin_cpu_supports("avx2") && (eax & kVnniBit) != 0;
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

void limit_instructions(std::string_view name) {
  const InstructionSet set = instruction_set_named(name);
  limit.store(set, std::memory_order_relaxed);
  hwy::DisableTargets(disabled_highway_targets(set));
  if (set == InstructionSet::kAvx512) keep_onednn_from_tiles();
}

bool has_bf16_tiles() { return may_use(InstructionSet::kAmx) && tiles().bf16; }
bool has_int8_tiles() { return may_use(InstructionSet::kAmx) && tiles().int8; }

bool has_avx_vnni() {
  static const bool found = find_avx_vnni();
  return found && may_use(InstructionSet::kAvx2Vnni);
}

bool has_byte_dots() {
  static const bool found = has_avx512() && __builtin_cpu_supports("avx512vnni");
  return found && may_use(InstructionSet::kAvx512);
}

bool has_bf16_dots() {
  static const bool found = has_avx512() && __builtin_cpu_supports("avx512bf16");
  return found && may_use(InstructionSet::kAvx512);
}

}  // namespace weft::kernels::cpu
