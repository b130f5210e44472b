// The limit of the instruction set.
#include "weft/kernels/cpu/instructions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hwy/detect_targets.h>

#include <string_view>
#include <utility>
#include <vector>

#include "weft/core/error.h"
#include "weft/kernels/cpu/products/block_kernel.h"
#include "weft/kernels/cpu/products/gemm_part.h"
#include "weft/kernels/cpu/products/packed_kernel.h"

namespace weft::kernels::cpu {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

class LimitedInstructions : public testing::Test {
 protected:
  ~LimitedInstructions() override { limit_instructions("amx"); }

  // Highway's vectors: 8 rows with AVX-512, 6 with AVX2, 1 in scalar code, which builds for
  // AddressSanitizer leave out.
  static constexpr int64_t kAvx2Rows = 6;
  static constexpr int64_t kFewestRows = HWY_STATIC_TARGET == HWY_AVX2 ? kAvx2Rows : 1;
  static int64_t rows_per_block() { return k_block_kernel(DType::kF32).max_rows; }
};

TEST_F(LimitedInstructions, LeaveOutWiderOnes) {
  const bool has_avx2 = rows_per_block() > 1;
  for (const std::string_view name : {"avx2_vnni", "avx2", "scalar"}) {
    SCOPED_TRACE(name);
    limit_instructions(name);
    EXPECT_EQ(rows_per_block(), has_avx2 && name != "scalar" ? kAvx2Rows : kFewestRows);
    EXPECT_FALSE(allows_avx512());
    EXPECT_FALSE(has_byte_dots() || has_bf16_dots() || has_int8_tiles() || has_bf16_tiles());
    EXPECT_FALSE(multiplies_bf16() || suits_onednn(DType::kF32));
    EXPECT_EQ(packed_kernels(DType::kI8).size(), 1u);
  }
}

// Products with weights in blocks have a kernel for each set.
TEST_F(LimitedInstructions, ChooseTheKernelOfBlocks) {
  const bool has_vnni = has_avx_vnni(), has_avx2 = allows_avx2();
  std::vector<std::string_view> expected{"tiles", "dots", "bytes", "pairs"};
  if (!has_bf16_tiles() || !allows_avx512()) std::erase(expected, "tiles");
  if (!has_byte_dots() || !allows_avx512()) std::erase(expected, "dots");
  if (!has_vnni) std::erase(expected, "bytes");
  if (!has_avx2) expected.clear();
  const auto names = [] {
    std::vector<std::string_view> out;
    for (const BlockKernel& kernel : block_kernels()) out.push_back(kernel.name);
    return out;
  };
  EXPECT_EQ(names(), expected);
  for (const auto& [set, wider] :
       {std::pair{"avx512", "tiles"}, {"avx2_vnni", "dots"}, {"avx2", "bytes"}}) {
    SCOPED_TRACE(set);
    limit_instructions(set);
    std::erase(expected, wider);
    EXPECT_EQ(names(), expected);
  }
  limit_instructions("scalar");
  if (kFewestRows > 1) GTEST_SKIP() << "no scalar code in this build";
  EXPECT_EQ(names().size(), 0u);
}

TEST_F(LimitedInstructions, MayBeWidenedAgain) {
  const int64_t rows = rows_per_block();
  const bool dots = has_byte_dots(), tiles = has_int8_tiles(), vnni = has_avx_vnni();
  limit_instructions("scalar");
  limit_instructions("amx");
  EXPECT_EQ(rows_per_block(), rows);
  EXPECT_EQ(has_byte_dots(), dots);
  EXPECT_EQ(has_int8_tiles(), tiles);
  EXPECT_EQ(has_avx_vnni(), vnni);
}

TEST_F(LimitedInstructions, KeepAvx512WithoutTiles) {
  const bool dots = has_byte_dots();
  limit_instructions("avx512");
  EXPECT_EQ(has_byte_dots(), dots);
  EXPECT_FALSE(has_int8_tiles() || has_bf16_tiles());
}

TEST_F(LimitedInstructions, HaveOneOfFiveNames) {
  for (const char* name : {"", "AVX2", "avx3"}) {
    EXPECT_THAT([&] { limit_instructions(name); },
                ThrowsMessage<OptionError>(HasSubstr(
                    "WEFT_MAX_CPU_ISA: expected scalar, avx2, avx2_vnni, avx512 or amx, got")));
  }
}

}  // namespace
}  // namespace weft::kernels::cpu
