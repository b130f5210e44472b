// Weights in blocks: packing against the file format, products of every kernel against the
// reference and against products of dequantised weights.
#include "weft/kernels/blocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "tests/kernels/buffer.h"
#include "tests/kernels/targets.h"
#include "tests/support/kept_threads.h"
#include "weft/core/error.h"
#include "weft/core/float16.h"
#include "weft/core/random.h"
#include "weft/formats/gguf_blocks.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/cpu/products/block_kernel.h"

namespace weft::kernels {
namespace {

using test::Buffer;
using BlockFloats = Buffer<float>;

constexpr BlockType kBlockTypes[] = {BlockType::kQ4_0, BlockType::kQ4_1, BlockType::kQ5_0,
                                     BlockType::kQ5_1, BlockType::kQ8_0, BlockType::kQ4_K,
                                     BlockType::kQ5_K, BlockType::kQ6_K};

formats::GgufType gguf_type_of(BlockType type) {
  return *formats::gguf_type(static_cast<uint32_t>(type));
}

// Bytes of a file. Integers and nested scales are random bits, or all bits set.
std::string file_blocks(BlockType type, int64_t rows, int64_t cols, uint64_t seed,
                        bool is_extreme = false) {
  const BlockFormat f = format_of(type);
  std::string out(static_cast<size_t>(rows * block_row_bytes(type, cols)), '\xFF');
  RandomStream draws(7, seed);
  for (char& byte : out) byte = is_extreme ? '\xFF' : static_cast<char>(draws.below(256));
  const auto put_half = [&](size_t offset) {
    const uint16_t bits = half_of_float(static_cast<float>(2 * draws.uniform() - 1) / 100);
    std::memcpy(out.data() + offset, &bits, sizeof(bits));
  };
  for (size_t begin = 0; begin < out.size(); begin += static_cast<size_t>(f.block_bytes)) {
    put_half(begin + (type == BlockType::kQ6_K ? 208 : 0));
    if (f.has_offset) put_half(begin + 2);
  }
  return out;
}

// Weights from the bytes of a file, packed.
class PackedBlocks {
 public:
  // In memory that is full of one byte, each time another.
  PackedBlocks(BlockType type, int64_t rows, int64_t cols, const std::string& bytes,
               const Backend& backend)
      : space_(static_cast<size_t>(packed_bytes(type, rows, cols)) + 64, ++before_) {
    const auto address = reinterpret_cast<uintptr_t>(space_.data());
    void* panels = space_.data() + (64 - address % 64) % 64;
    backend(PackBlocks{
        .blocks = bytes.data(), .type = type, .rows = rows, .cols = cols, .panels = panels});
    blocks_ = {.panels = panels, .type = type, .rows = rows, .cols = cols};
  }
  PackedBlocks(const PackedBlocks&) = delete;
  PackedBlocks& operator=(const PackedBlocks&) = delete;
  const Packed& blocks() const { return blocks_; }
  bool operator==(const PackedBlocks& other) const {
    const auto bytes = static_cast<size_t>(packed_bytes(blocks_.type, blocks_.rows, blocks_.cols));
    return std::memcmp(blocks_.panels, other.blocks_.panels, bytes) == 0;
  }

 private:
  static inline uint8_t before_ = 0;
  std::vector<uint8_t> space_;
  Packed blocks_;
};

BlockFloats dequantised(BlockType type, int64_t rows, int64_t cols, const std::string& bytes) {
  BlockFloats out(rows, cols);
  const auto row_bytes = static_cast<size_t>(block_row_bytes(type, cols));
  const int64_t padded = row_blocks(type, cols) * format_of(type).block_cols;
  std::vector<float> row(static_cast<size_t>(padded));
  for (int64_t i = 0; i < rows; ++i) {
    formats::dequantise(gguf_type_of(type),
                        std::string_view(bytes).substr(static_cast<size_t>(i) * row_bytes), row);
    std::copy_n(row.begin(), cols, out.row(i));
  }
  return out;
}

class BlockTypes : public testing::TestWithParam<BlockType> {};

TEST_P(BlockTypes, AreThoseOfFiles) {
  const formats::GgufLayout layout = formats::layout_of(gguf_type_of(GetParam()));
  const BlockFormat f = format_of(GetParam());
  EXPECT_EQ(f.name, layout.name);
  EXPECT_EQ(f.block_cols, layout.elements);
  EXPECT_EQ(f.block_bytes, layout.bytes);
}

TEST_P(BlockTypes, TakeTheMemoryOfTheFile) {
  const auto file = static_cast<double>(512 * block_row_bytes(GetParam(), 1024));
  EXPECT_LE(static_cast<double>(packed_bytes(GetParam(), 512, 1024)), 1.03 * file);
}

TEST_P(BlockTypes, HoldTheNumbersOfTheFile) {
  for (const auto& [rows, cols] : {std::pair{1, 512}, {16, 96}, {37, 512}, {37, 96}}) {
    const std::string bytes = file_blocks(GetParam(), rows, cols, 1);
    const BlockFloats expected = dequantised(GetParam(), rows, cols, bytes);
    std::vector<int32_t> ids;
    for (int64_t i = rows; i-- > 0;) ids.push_back(static_cast<int32_t>(i));
    const PackedBlocks packed(GetParam(), rows, cols, bytes, ref_backend());
    EXPECT_TRUE(packed == PackedBlocks(GetParam(), rows, cols, bytes, cpu_backend()));
    for (const Backend* backend : {&ref_backend(), &cpu_backend()}) {
      BlockFloats got(rows, cols, 3);
      (*backend)(PackedEmbedding{.table = packed.blocks(), .ids = ids.data(), .y = got});
      EXPECT_TRUE(got.slack_is_untouched());
      for (int64_t i = 0; i < rows; ++i) {
        for (int64_t j = 0; j < cols; ++j) {
          ASSERT_EQ(got.at(i, j), expected.at(ids[static_cast<size_t>(i)], j)) << i << ", " << j;
        }
      }
    }
  }
}

TEST_P(BlockTypes, AreTablesWithScaleAndPositions) {
  const std::string bytes = file_blocks(GetParam(), 37, 256, 1);
  const PackedBlocks packed(GetParam(), 37, 256, bytes, ref_backend());
  const std::vector<int32_t> ids{36, 0, 17, 17}, position{0, 3, 70, 2};
  PackedEmbedding call{
      .table = packed.blocks(), .ids = ids.data(), .scale = 2.5, .position = position.data()};
  BlockFloats expected(4, 256), got(4, 256);
  call.y = expected;
  ref_backend()(call);
  test::for_each_target([&] {
    call.y = got;
    cpu_backend()(call);
    for (int64_t i = 0; i < 4; ++i) {
      for (int64_t j = 0; j < 256; ++j) ASSERT_NEAR(got.at(i, j), expected.at(i, j), 1e-6);
    }
  });
}

// Of an element of x, at most half a step of its chunk is lost: max|x| / 254.
TEST_P(BlockTypes, MultiplyAsTheDequantisedWeights) {
  constexpr int64_t kRows = 3, kCols = 512, kOutputs = 20;
  const std::string bytes = file_blocks(GetParam(), kOutputs, kCols, 1);
  BlockFloats w = dequantised(GetParam(), kOutputs, kCols, bytes);
  BlockFloats x = BlockFloats::random(kRows, kCols, 2), y(kRows, kOutputs);
  const PackedBlocks packed(GetParam(), kOutputs, kCols, bytes, ref_backend());
  ref_backend()(PackedProduct{.x = x, .weights = {&packed.blocks(), 1}, .y = y});
  double squares = 0, error_squares = 0;
  for (int64_t i = 0; i < kRows; ++i) {
    for (int64_t j = 0; j < kOutputs; ++j) {
      double sum = 0, magnitudes = 0, bound = 0;
      for (int64_t begin = 0; begin < kCols; begin += kChunkCols) {
        double top = 0, weights = 0;
        for (int64_t k = begin; k < begin + kChunkCols; ++k) {
          sum += double{x.at(i, k)} * w.at(j, k);
          magnitudes += std::abs(double{x.at(i, k)} * w.at(j, k));
          top = std::max(top, std::abs(double{x.at(i, k)}));
          weights += std::abs(double{w.at(j, k)});
        }
        bound += top / 254 * weights;
      }
      ASSERT_NEAR(y.at(i, j), sum, 1.01 * bound + 1e-6 * magnitudes) << i << ", " << j;
      squares += sum * sum;
      error_squares += (y.at(i, j) - sum) * (y.at(i, j) - sum);
    }
  }
  EXPECT_LT(std::sqrt(error_squares / squares), 0.01);
}

// Sums of 16 bits must not overflow, with the largest integers on both sides.
TEST_P(BlockTypes, MultiplyTheLargestIntegers) {
  for (const bool is_negative : {false, true}) {
    std::string bytes = file_blocks(GetParam(), 16, 512, 1, true);
    // -128 in every Q8_0 weight.
    if (GetParam() == BlockType::kQ8_0 && is_negative) {
      for (size_t i = 0; i < bytes.size(); ++i) {
        if (i % 34 >= 2) bytes[i] = '\x80';
      }
    }
    const PackedBlocks packed(GetParam(), 16, 512, bytes, ref_backend());
    BlockFloats x(5, 512, std::vector<double>(5 * 512, is_negative ? -1 : 1));
    PackedProduct p{.x = x, .weights = {&packed.blocks(), 1}};
    BlockFloats expected(5, 16);
    p.y = expected;
    ref_backend()(p);
    test::for_each_target([&] {
      for (const auto& kernel : cpu::block_kernels()) {
        BlockFloats got(5, 16);
        p.y = got;
        cpu::block_product(p, kernel);
        EXPECT_EQ(got, expected) << kernel.name;
      }
    });
  }
}

INSTANTIATE_TEST_SUITE_P(All, BlockTypes, testing::ValuesIn(kBlockTypes),
                         [](const auto& type) { return std::string(format_of(type.param).name); });

struct BlockCase {
  int64_t rows, cols;
  std::vector<int64_t> outputs;  // of each part; parts have different types
  int64_t slack = 0;
  int64_t width() const {
    int64_t sum = 0;
    for (const int64_t n : outputs) sum += n;
    return sum;
  }
  friend std::ostream& operator<<(std::ostream& out, const BlockCase& c) {
    return out << c.rows << "x" << c.cols << "x" << c.width() << "+" << c.slack;
  }
};

class BlockProducts : public testing::TestWithParam<BlockCase> {
 protected:
  // Calls body with the product of a case for each first type, and with the type after it for the
  // next part, and so on.
  template <class Body>
  void for_each_product(Body&& body) {
    const BlockCase& c = GetParam();
    BlockFloats x = BlockFloats::random(c.rows, c.cols, 1, c.slack);
    BlockFloats bias = BlockFloats::random(1, c.width(), 2);
    if (c.rows > 1) std::fill_n(x.row(1), c.cols, 0.0f);
    for (size_t first = 0; first < std::size(kBlockTypes); ++first) {
      std::vector<std::unique_ptr<PackedBlocks>> parts;
      std::vector<Packed> weights;
      for (size_t i = 0; i < c.outputs.size(); ++i) {
        const BlockType type = kBlockTypes[(first + i) % std::size(kBlockTypes)];
        parts.push_back(std::make_unique<PackedBlocks>(
            type, c.outputs[i], c.cols, file_blocks(type, c.outputs[i], c.cols, 10 + i),
            ref_backend()));
        weights.push_back(parts.back()->blocks());
      }
      SCOPED_TRACE(format_of(kBlockTypes[first]).name);
      body(
          PackedProduct{.x = x, .weights = weights, .bias = first % 2 == 0 ? bias.view() : View{}});
    }
  }
  BlockFloats output() const {
    return BlockFloats(GetParam().rows, GetParam().width(), GetParam().slack);
  }
};

TEST_P(BlockProducts, HaveTheBitsOfTheReferenceWithEveryKernel) {
  const weft::test::KeptThreads kept;
  for_each_product([&](PackedProduct p) {
    BlockFloats expected = output();
    p.y = expected;
    ref_backend()(p);
    test::for_each_target([&] {
      for (const auto& kernel : cpu::block_kernels()) {
        for (const int count : {1, 2}) {
          SCOPED_TRACE(testing::Message() << kernel.name << ", threads " << count);
          set_threads(count);
          BlockFloats got = output();
          p.y = got;
          cpu::block_product(p, kernel);
          ASSERT_EQ(got, expected);
        }
      }
      BlockFloats got = output();
      p.y = got;
      cpu_backend()(p);
      ASSERT_EQ(got, expected);
    });
  });
}

// With more rows and columns than are multiplied at a time.
std::vector<BlockCase> block_cases() {
  return {{1, 256, {1}},      {0, 256, {16}},    {2, 512, {16, 33, 1}, 1}, {3, 768, {33}},
          {5, 256, {100}, 3}, {8, 512, {64, 7}}, {15, 256, {48}, 2},       {17, 512, {20, 20}},
          {40, 256, {130}},   {35, 1536, {40}},  {6, 1280, {35, 7}},       {530, 256, {20}}};
}

INSTANTIATE_TEST_SUITE_P(Cases, BlockProducts, testing::ValuesIn(block_cases()));

TEST(BlockRows, HaveTheSameBitsAtEveryRowAndThreadCount) {
  constexpr int64_t kMaxRows = 70, kCols = 512, kOutputs = 150;
  BlockFloats x = BlockFloats::random(kMaxRows, kCols, 1);
  const weft::test::KeptThreads kept;
  for (const BlockType type : {BlockType::kQ4_0, BlockType::kQ5_K, BlockType::kQ6_K}) {
    const PackedBlocks packed(type, kOutputs, kCols, file_blocks(type, kOutputs, kCols, 1),
                              cpu_backend());
    PackedProduct p{.x = x, .weights = {&packed.blocks(), 1}, .activation = Activation::kGelu};
    BlockFloats whole(kMaxRows, kOutputs);
    p.y = whole;
    set_threads(1);
    cpu_backend()(p);
    for (const int count : {1, 2}) {
      set_threads(count);
      for (int64_t rows = 1; rows <= kMaxRows; rows += rows < 20 ? 1 : 25) {
        BlockFloats part(kMaxRows, kOutputs);
        p.x.rows = rows;
        p.y = part;
        p.y.rows = rows;
        cpu_backend()(p);
        ASSERT_EQ(std::memcmp(part.row(0), whole.row(0), sizeof(float) * rows * kOutputs), 0)
            << rows << " rows, " << count << " threads";
      }
    }
  }
}

TEST(BlockRows, FuseActivations) {
  const PackedBlocks packed(BlockType::kQ4_1, 40, 256, file_blocks(BlockType::kQ4_1, 40, 256, 1),
                            cpu_backend());
  BlockFloats x = BlockFloats::random(9, 256, 1), bias = BlockFloats::random(1, 40, 2);
  for (const Activation kind : {Activation::kRelu, Activation::kGelu, Activation::kSilu}) {
    BlockFloats expected(9, 40), got(9, 40);
    PackedProduct p{x, {&packed.blocks(), 1}, bias, kind, expected};
    ref_backend()(p);
    p.y = got;
    cpu_backend()(p);
    for (int64_t i = 0; i < 9; ++i) {
      for (int64_t j = 0; j < 40; ++j) ASSERT_NEAR(got.at(i, j), expected.at(i, j), 2e-6);
    }
  }
}

TEST(BlockRows, PropagateNan) {
  for (const BlockType type : kBlockTypes) {
    const PackedBlocks packed(type, 16, 256, file_blocks(type, 16, 256, 1), cpu_backend());
    for (const float bad :
         {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
      BlockFloats x = BlockFloats::random(3, 256, 2), y(3, 16);
      x.at(1, 133) = bad;
      const PackedProduct product{.x = x, .weights = {&packed.blocks(), 1}, .y = y};
      const auto expect_nan = [&](auto run) {
        run();
        for (int64_t j = 0; j < 16; ++j) {
          EXPECT_TRUE(std::isnan(y.at(1, j)));
          EXPECT_TRUE(std::isfinite(y.at(0, j)) && std::isfinite(y.at(2, j)));
          y.at(0, j) = y.at(1, j) = y.at(2, j) = 0;
        }
      };
      expect_nan([&] { ref_backend()(product); });
      for (const auto& kernel : cpu::block_kernels()) {
        SCOPED_TRACE(kernel.name);
        expect_nan([&] { cpu::block_product(product, kernel); });
      }
    }
  }
}

TEST(BlockRows, MayBeTinyOrZero) {
  const PackedBlocks packed(BlockType::kQ8_0, 16, 64, file_blocks(BlockType::kQ8_0, 16, 64, 1),
                            cpu_backend());
  BlockFloats x(3, 64), expected(3, 16);
  x.at(0, 1) = 9e-31f;
  x.at(1, 1) = -1.1e-30f;
  x.at(1, 40) = std::numeric_limits<float>::max();
  PackedProduct p{.x = x, .weights = {&packed.blocks(), 1}, .y = expected};
  ref_backend()(p);
  for (const auto& kernel : cpu::block_kernels()) {
    BlockFloats got(3, 16);
    p.y = got;
    cpu::block_product(p, kernel);
    EXPECT_EQ(got, expected) << kernel.name;
  }
}

TEST(BlockRows, OfNoColumnsAreTheBias) {
  BlockFloats x(3, 0), bias = BlockFloats::random(1, 20, 1), y = BlockFloats::random(3, 20, 2);
  const Packed none{.panels = bias.row(0), .type = BlockType::kQ8_0, .rows = 20, .cols = 0};
  cpu_backend()(PackedProduct{.x = x, .weights = {&none, 1}, .bias = bias, .y = y});
  for (int64_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(std::equal(y.row(i), y.row(i) + 20, bias.row(0))) << "row " << i;
  }
}

TEST(BlockRows, AreRefusedInOtherTypes) {
  const PackedBlocks packed(BlockType::kQ8_0, 16, 32, file_blocks(BlockType::kQ8_0, 16, 32, 1),
                            cpu_backend());
  Buffer<double> x(1, 32), y(1, 16);
  EXPECT_THROW(
      cpu_backend()(PackedProduct{.x = x, .weights = {&packed.blocks(), 1}, .y = y.view()}), Error);
}

// The bytes of w [rows, cols] in blocks.
std::string quantised_blocks(BlockType type, BlockFloats& w, const Backend& backend) {
  std::string out(static_cast<size_t>(w.rows() * block_row_bytes(type, w.cols())), '\x55');
  backend(QuantiseBlocks{.w = w, .type = type, .blocks = out.data()});
  return out;
}

TEST(QuantisedBlocks, RoundToNearest) {
  BlockFloats w = BlockFloats::random(5, 70, 1, 2);  // rows of 3 blocks, the last of 6 columns
  for (const auto& [type, steps] : {std::pair{BlockType::kQ8_0, 127}, {BlockType::kQ4_0, 8}}) {
    const std::string bytes = quantised_blocks(type, w, ref_backend());
    EXPECT_EQ(bytes, quantised_blocks(type, w, cpu_backend()));
    const BlockFloats got = dequantised(type, 5, 70, bytes);
    for (int64_t i = 0; i < 5; ++i) {
      for (int64_t j = 0; j < 70; ++j) {
        // Half a step, and the rounding of the scale; at the other end of Q4_0, a whole step.
        const double most = (type == BlockType::kQ4_0 ? 1.01 : 0.51) / steps + 1.0 / 2048;
        ASSERT_NEAR(got.at(i, j), w.at(i, j), most) << i << ", " << j;
      }
    }
  }
}

TEST(QuantisedBlocks, HaveTheBytesOfLlamaCpp) {
  BlockFloats w(1, 32);
  w.at(0, 0) = -8;  // the scale of Q4_0 is 1
  w.at(0, 1) = 7.2f;
  w.at(0, 2) = 8;
  w.at(0, 16) = -2.5f;
  w.at(0, 31) = 1.4f;
  const std::string q4 = quantised_blocks(BlockType::kQ4_0, w, cpu_backend());
  EXPECT_EQ(q4.substr(0, 6), std::string("\x00\x3C\x60\x8F\x8F\x88", 6));
  EXPECT_EQ(q4[17], '\x98');
  w.at(0, 0) = -127;  // the scale of Q8_0 is 1
  const std::string q8 = quantised_blocks(BlockType::kQ8_0, w, cpu_backend());
  EXPECT_EQ(q8.substr(0, 5), std::string("\x00\x3C\x81\x07\x08", 5));
  EXPECT_EQ(q8[2 + 16], -3);
}

TEST(QuantisedBlocks, HoldZerosAndRefuseWhatIsNotFinite) {
  BlockFloats w(3, 32, std::vector<double>(96, 0));
  w.at(1, 5) = std::numeric_limits<float>::infinity();
  for (int64_t j = 0; j < 32; ++j) w.at(2, j) = 1e-44f;
  for (const BlockType type : {BlockType::kQ8_0, BlockType::kQ4_0}) {
    const BlockFloats got = dequantised(type, 3, 32, quantised_blocks(type, w, cpu_backend()));
    for (int64_t j = 0; j < 32; ++j) {
      EXPECT_EQ(got.at(0, j), 0);
      EXPECT_TRUE(std::isnan(got.at(1, j)));
      EXPECT_EQ(got.at(2, j), 0);
    }
  }
}

TEST(QuantisedBlocks, HaveAnyNumberOfColumns) {
  BlockFloats w = BlockFloats::random(20, 70, 1), x = BlockFloats::random(3, 70, 2);
  for (const BlockType type : {BlockType::kQ8_0, BlockType::kQ4_0}) {
    const std::string bytes = quantised_blocks(type, w, cpu_backend());
    const PackedBlocks packed(type, 20, 70, bytes, cpu_backend());
    const BlockFloats rounded = dequantised(type, 20, 70, bytes);
    BlockFloats expected(3, 20);
    PackedProduct p{.x = x, .weights = {&packed.blocks(), 1}, .y = expected};
    ref_backend()(p);
    for (int64_t j = 0; j < 20; ++j) {
      double sum = 0;
      for (int64_t k = 0; k < 70; ++k) sum += double{x.at(2, k)} * rounded.at(j, k);
      EXPECT_NEAR(expected.at(2, j), sum, 0.05);
    }
    test::for_each_target([&] {
      for (const auto& kernel : cpu::block_kernels()) {
        BlockFloats got(3, 20);
        p.y = got;
        cpu::block_product(p, kernel);
        EXPECT_EQ(got, expected) << kernel.name;
      }
    });
  }
}

}  // namespace
}  // namespace weft::kernels
