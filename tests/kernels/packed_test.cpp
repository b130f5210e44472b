// Packed weights: layout, products of every kernel compared with the reference over one case table,
// and independence of rows.
#include "weft/kernels/packed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "tests/kernels/buffer.h"
#include "tests/kernels/targets.h"
#include "tests/support/kept_threads.h"
#include "weft/core/error.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/cpu/products/packed_kernel.h"
#include "weft/kernels/elementwise.h"

namespace weft::kernels {
namespace {

using test::Buffer;
using F32 = Buffer<float>;

constexpr DType kTypes[] = {DType::kF32, DType::kBF16, DType::kI8};
constexpr Activation kFusedActivations[] = {Activation::kNone, Activation::kRelu, Activation::kGelu,
                                            Activation::kGeluTanh, Activation::kSilu};

// Weights of a type, converted from floats: unpacked and packed.
class PackedWeights {
 public:
  PackedWeights(DType type, F32& w, const Backend& backend)
      : plain_(static_cast<size_t>(w.rows() * w.cols()) * size_of(type)),
        space_(static_cast<size_t>(packed_bytes(type, w.rows(), w.cols())) + kKBlockBytes, 99),
        scales_(static_cast<size_t>(panels_of(w.rows()) * kPanelRows)),
        sums_(scales_.size(), 99) {
    const bool is_integer = type == DType::kI8;
    const View plain{plain_.data(), type, w.rows(), w.cols(), w.cols(), w.rows()};
    if (is_integer) {
      backend(QuantiseRows{.w = w, .q = plain, .scales = scales_.data()});
    } else {
      backend(Copy{.x = w, .y = plain});
    }
    auto* panels = aligned();
    backend(Pack{.w = plain, .panels = panels, .sums = is_integer ? sums_.data() : nullptr});
    packed_ = {.panels = panels, .type = type, .rows = w.rows(), .cols = w.cols()};
    if (is_integer) packed_.scales = scales_.data(), packed_.sums = sums_.data();
  }
  PackedWeights(const PackedWeights&) = delete;
  PackedWeights& operator=(const PackedWeights&) = delete;

  const Packed& packed() const { return packed_; }
  // Overwrites the k-blocks of each panel from `first` on.
  void overwrite_k_blocks(int64_t first, int value) {
    const int64_t bytes = panel_bytes(packed_.type, packed_.cols), begin = first * kKBlockBytes;
    for (int64_t panel = 0; panel < panels_of(packed_.rows); ++panel) {
      std::memset(static_cast<std::byte*>(aligned()) + panel * bytes + begin, value,
                  static_cast<size_t>(bytes - begin));
    }
  }
  bool operator==(const PackedWeights& other) const {
    const auto bytes = packed_bytes(packed_.type, packed_.rows, packed_.cols);
    return plain_ == other.plain_ && scales_ == other.scales_ && sums_ == other.sums_ &&
           std::memcmp(packed_.panels, other.packed_.panels, static_cast<size_t>(bytes)) == 0;
  }

 private:
  void* aligned() {
    const auto at = reinterpret_cast<uintptr_t>(space_.data());
    return space_.data() + (kKBlockBytes - at % kKBlockBytes) % kKBlockBytes;
  }
  std::vector<uint8_t> plain_, space_;
  std::vector<float> scales_;
  std::vector<int32_t> sums_;
  Packed packed_;
};

struct PackedCase {
  int64_t rows, cols;
  std::vector<int64_t> outputs;  // of each part
  int64_t slack = 0;
  int64_t width() const {
    int64_t sum = 0;
    for (const int64_t n : outputs) sum += n;
    return sum;
  }
  friend std::ostream& operator<<(std::ostream& out, const PackedCase& c) {
    return out << c.rows << "x" << c.cols << "x" << c.width() << "+" << c.slack;
  }
};

std::vector<PackedCase> product_cases() {
  return {{1, 1, {1}},        {0, 64, {16}},         {1, 5, {15}, 3},      {2, 64, {16, 33, 1}, 1},
          {3, 130, {33}},     {4, 512, {48, 16}},    {5, 130, {1000}, 3},  {6, 64, {130}},
          {7, 512, {100, 7}}, {8, 64, {512}},        {9, 5, {33, 33, 33}}, {16, 130, {70}, 5},
          {17, 64, {48}},     {33, 512, {1000, 15}}, {64, 130, {160}},     {128, 512, {33, 128, 1}},
          {300, 2048, {40}},  {4, 15, {20}},         {5, 3, {17}},         {6, 26, {40}}};
}

class PackedProducts : public testing::TestWithParam<PackedCase> {
 protected:
  // The product of a case by `run` with weights of a type.
  template <class Body>
  void with_product(DType type, Body&& body) {
    const PackedCase& c = GetParam();
    std::vector<std::unique_ptr<PackedWeights>> parts;
    std::vector<Packed> weights;
    for (size_t i = 0; i < c.outputs.size(); ++i) {
      F32 w = F32::random(c.outputs[i], c.cols, 10 + i, c.slack);
      parts.push_back(std::make_unique<PackedWeights>(type, w, ref_backend()));
      weights.push_back(parts.back()->packed());
    }
    F32 x = F32::random(c.rows, c.cols, 1, c.slack), bias = F32::random(1, c.width(), 2);
    if (c.rows > 1) std::fill_n(x.row(1), c.cols, 0.0f);
    for (const Activation kind : kFusedActivations) {
      SCOPED_TRACE(testing::Message() << name_of(type) << ", activation " << int(kind));
      const bool with_bias = kind != Activation::kRelu;
      body(PackedProduct{x, weights, with_bias ? bias.view() : View{}, kind, {}});
    }
  }
  F32 output() const { return F32(GetParam().rows, GetParam().width(), GetParam().slack); }
};

// Products of BF16 are exact in F32, so for both types only sums round, each by 2^-24 of its value;
// polynomials add to that.
void expect_close(const F32& got, const F32& expected, int64_t cols, bool is_exact) {
  EXPECT_TRUE(got.slack_is_untouched());
  const double rounding = is_exact ? 1e-6 : 2e-6 + 3e-7 * static_cast<double>(cols) / 4;
  for (int64_t i = 0; i < got.rows(); ++i) {
    for (int64_t j = 0; j < got.cols(); ++j) {
      const double tolerance = rounding + 1e-6 * std::abs(expected.at(i, j));
      ASSERT_NEAR(got.at(i, j), expected.at(i, j), tolerance) << i << ", " << j;
    }
  }
}

TEST_P(PackedProducts, OfEveryKernelAgreeWithTheReference) {
  const weft::test::KeptThreads kept;
  for (const DType type : kTypes) {
    with_product(type, [&](PackedProduct p) {
      F32 expected = output();
      p.y = expected;
      ref_backend()(p);
      test::for_each_target([&] {
        for (const auto& kernel : cpu::packed_kernels(type)) {
          for (const int count : {1, 2}) {
            SCOPED_TRACE(testing::Message() << kernel.name << ", threads " << count);
            set_threads(count);
            F32 got = output();
            p.y = got;
            cpu::packed_product(p, kernel);
            expect_close(got, expected, GetParam().cols, type == DType::kI8);
          }
        }
      });
    });
  }
}

TEST_P(PackedProducts, OfIntegersAreBitIdenticalForEveryKernel) {
  with_product(DType::kI8, [&](PackedProduct p) {
    if (p.activation != Activation::kNone && p.activation != Activation::kRelu) return;
    F32 expected = output();
    p.y = expected;
    ref_backend()(p);
    test::for_each_target([&] {
      for (const auto& kernel : cpu::packed_kernels(DType::kI8)) {
        SCOPED_TRACE(kernel.name);
        F32 got = output();
        p.y = got;
        cpu::packed_product(p, kernel);
        EXPECT_EQ(got, expected);
      }
      F32 got = output();
      p.y = got;
      cpu_backend()(p);
      EXPECT_EQ(got, expected);
    });
  });
}

TEST_P(PackedProducts, OfPartsOfSeveralTypesAgreeWithTheReference) {
  const PackedCase& c = GetParam();
  F32 x = F32::random(c.rows, c.cols, 1, c.slack);
  F32 bias = F32::random(1, 3 * c.width(), 2);
  std::vector<std::unique_ptr<PackedWeights>> parts;
  std::vector<Packed> weights;
  for (const DType type : {DType::kF32, DType::kBF16, DType::kI8}) {
    F32 w = F32::random(c.width(), c.cols, 10, c.slack);
    parts.push_back(std::make_unique<PackedWeights>(type, w, ref_backend()));
    weights.push_back(parts.back()->packed());
  }
  do {
    PackedProduct p{x, weights, bias, Activation::kRelu, {}};
    F32 expected(c.rows, 3 * c.width(), c.slack);
    p.y = expected;
    ref_backend()(p);
    test::for_each_target([&] {
      F32 got(c.rows, 3 * c.width(), c.slack);
      p.y = got;
      cpu_backend()(p);
      expect_close(got, expected, c.cols, false);
    });
  } while (std::ranges::next_permutation(weights, {}, &Packed::type).found);
}

// Weights of few columns would otherwise be multiplied for as long as those of 32 or 64.
TEST(PackedPadding, IsNotMultipliedBeyondTheStepOfAKernel) {
  constexpr int64_t kRows = 9, kCols = 5, kOutputs = 33, kFilled = 3;
  F32 x = F32::random(kRows, kCols, 1), w = F32::random(kOutputs, kCols, 2);
  PackedWeights weights(DType::kBF16, w, ref_backend());
  weights.overwrite_k_blocks(kFilled, 0xFF);  // NaN
  F32 expected(kRows, kOutputs);
  PackedProduct p{x, {&weights.packed(), 1}, {}, Activation::kNone, expected};
  ref_backend()(p);
  test::for_each_target([&] {
    for (const auto& kernel : cpu::packed_kernels(DType::kBF16)) {
      if (kernel.k_step > 1) continue;
      SCOPED_TRACE(kernel.name);
      F32 got(kRows, kOutputs);
      p.y = got;
      cpu::packed_product(p, kernel);
      expect_close(got, expected, kCols, false);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Cases, PackedProducts, testing::ValuesIn(product_cases()));

class PackedRows : public testing::TestWithParam<DType> {};

// The first `rows` rows of a product.
void multiply(PackedProduct p, int64_t rows, F32& y) {
  p.x.rows = rows;
  p.y = y;
  p.y.rows = rows;
  cpu_backend()(p);
}

TEST_P(PackedRows, HaveTheSameBitsAtEveryRowAndThreadCount) {
  constexpr int64_t kMaxRows = 250, kCols = 192, kOutputs = 300;
  F32 x = F32::random(kMaxRows, kCols, 1), bias = F32::random(1, kOutputs, 2);
  F32 w = F32::random(kOutputs, kCols, 3);
  const PackedWeights weights(GetParam(), w, cpu_backend());
  const PackedProduct p{x, {&weights.packed(), 1}, bias, Activation::kGelu};
  const weft::test::KeptThreads kept;
  test::for_each_target([&] {
    F32 whole(kMaxRows, kOutputs);
    set_threads(1);
    multiply(p, kMaxRows, whole);
    for (const int count : {1, 2}) {
      set_threads(count);
      for (int64_t rows = 1; rows <= kMaxRows; rows = rows == 40 ? kMaxRows : rows + 1) {
        F32 part(kMaxRows, kOutputs);
        multiply(p, rows, part);
        ASSERT_EQ(std::memcmp(part.row(0), whole.row(0), sizeof(float) * rows * kOutputs), 0)
            << rows << " rows, " << count << " threads";
      }
    }
  });
}

TEST_P(PackedRows, OfTablesAgreeWithTheReference) {
  F32 table = F32::random(37, 130, 1);
  const PackedWeights weights(GetParam(), table, ref_backend());
  const std::vector<int32_t> ids{36, 0, 17, 17, 5}, position{0, 3, 1, 70, 2};
  for (const int32_t* positions : {static_cast<const int32_t*>(nullptr), position.data()}) {
    F32 expected(5, 130, 2);
    ref_backend()(PackedEmbedding{.table = weights.packed(),
                                  .ids = ids.data(),
                                  .scale = 2.5,
                                  .position = positions,
                                  .y = expected});
    test::for_each_target([&] {
      F32 got(5, 130, 2);
      cpu_backend()(PackedEmbedding{.table = weights.packed(),
                                    .ids = ids.data(),
                                    .scale = 2.5,
                                    .position = positions,
                                    .y = got});
      expect_close(got, expected, 1, true);
    });
  }
}

TEST_P(PackedRows, HaveTheLayoutOfTheReference) {
  for (const int64_t rows : {1, 15, 16, 33, 1000}) {
    for (const int64_t cols : {1, 5, 64, 130, 512}) {
      SCOPED_TRACE(testing::Message() << rows << "x" << cols);
      F32 w = F32::random(rows, cols, 1, 3);
      std::fill_n(w.row(rows / 2), cols, 0.0f);
      const PackedWeights expected(GetParam(), w, ref_backend());
      test::for_each_target(
          [&] { EXPECT_TRUE(PackedWeights(GetParam(), w, cpu_backend()) == expected); });
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, PackedRows, testing::ValuesIn(kTypes),
                         [](const auto& type) { return std::string(name_of(type.param)); });

TEST(Packed, HasSixteenRowsPerKBlock) {
  std::vector<int8_t> w(17 * 5), panels(packed_bytes(DType::kI8, 17, 5));
  for (int i = 0; i < 17; ++i) {
    for (int j = 0; j < 5; ++j) w[i * 5 + j] = static_cast<int8_t>(5 * i + j);
  }
  std::vector<int32_t> sums(32, 99);
  cpu_backend()(Pack{
      .w = {w.data(), DType::kI8, 17, 5, 5, 17}, .panels = panels.data(), .sums = sums.data()});
  ASSERT_EQ(panels.size(), 2048u);
  const std::vector<int8_t> start{0, 1, 2, 3, 5, 6, 7, 8};  // columns 0 to 3 of rows 0 and 1
  EXPECT_EQ(std::vector<int8_t>(panels.begin(), panels.begin() + 8), start);
  const std::vector<int8_t> next{4, 0, 0, 0, 9, 0, 0, 0};  // column 4, then zeros
  EXPECT_EQ(std::vector<int8_t>(panels.begin() + 64, panels.begin() + 72), next);
  EXPECT_EQ(panels[1024], 80);  // row 16 starts a panel
  EXPECT_EQ(sums[16], 80 + 81 + 82 + 83 + 84);
  EXPECT_EQ(sums[17], 0);
}

TEST(Packed, QuantisesToTheFullRange) {
  F32 w(4, 3, {0.5, -2, 1, 0, 0, 0, 1e-31, 0, 0, 3, -1, 3});
  for (const Backend* backend : {&ref_backend(), &cpu_backend()}) {
    Buffer<int8_t> q(4, 3);
    std::vector<float> scales(4);
    (*backend)(QuantiseRows{.w = w, .q = q, .scales = scales.data()});
    EXPECT_EQ(q, Buffer<int8_t>(4, 3, {32, -127, 64, 0, 0, 0, 0, 0, 0, 127, -42, 127}));
    EXPECT_EQ(scales, (std::vector<float>{2.0f / 127, 0, 0, 3.0f / 127}));
  }
}

TEST(Packed, QuantisesRowsWithInfinitiesToANanScale) {
  F32 w(2, 20, std::vector<double>(40, 1));
  w.at(0, 18) = -std::numeric_limits<float>::infinity();
  w.at(1, 3) = std::numeric_limits<float>::quiet_NaN();
  for (const Backend* backend : {&ref_backend(), &cpu_backend()}) {
    Buffer<int8_t> q = Buffer<int8_t>(2, 20, std::vector<double>(40, 7));
    std::vector<float> scales(2);
    (*backend)(QuantiseRows{.w = w, .q = q, .scales = scales.data()});
    EXPECT_EQ(q, Buffer<int8_t>(2, 20));
    EXPECT_TRUE(std::isnan(scales[0]) && std::isnan(scales[1]));
  }
}

TEST(Packed, PropagatesNan) {
  F32 table = F32::random(16, 40, 1);
  for (const float bad :
       {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    F32 x = F32::random(3, 40, 2);
    x.at(1, 33) = bad;
    for (const DType type : kTypes) {
      const PackedWeights weights(type, table, cpu_backend());
      for (const Backend* backend : {&ref_backend(), &cpu_backend()}) {
        F32 y(3, 16);
        (*backend)(PackedProduct{.x = x, .weights = {&weights.packed(), 1}, .y = y});
        for (int64_t j = 0; j < 16; ++j) {
          EXPECT_FALSE(std::isfinite(y.at(1, j)));
          EXPECT_TRUE(std::isfinite(y.at(0, j)) && std::isfinite(y.at(2, j)));
        }
      }
    }
  }
}

TEST(Packed, ProductOfNoColumnsIsTheBias) {
  F32 x(3, 0), w(20, 0), bias = F32::random(1, 20, 1);
  const PackedWeights weights(DType::kF32, w, cpu_backend());
  F32 y = F32::random(3, 20, 2);
  cpu_backend()(PackedProduct{.x = x, .weights = {&weights.packed(), 1}, .bias = bias, .y = y});
  for (int64_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(std::equal(y.row(i), y.row(i) + 20, bias.row(0))) << "row " << i;
  }
}

TEST(Packed, RefusesOtherTypes) {
  Buffer<double> wide = Buffer<double>::random(2, 3, 1);
  F32 x = F32::random(2, 3, 1), y(2, 16);
  Buffer<int8_t> q(2, 3);
  std::vector<float> space(4096);
  const Packed wrong{.panels = space.data(), .type = DType::kF64, .rows = 16, .cols = 3};
  const int32_t ids[] = {0, 1};
  for (const Backend* backend : {&ref_backend(), &cpu_backend()}) {
    EXPECT_THROW((*backend)(Pack{.w = wide, .panels = space.data()}), ShapeError);
    EXPECT_THROW((*backend)(QuantiseRows{.w = wide, .q = q, .scales = space.data()}), ShapeError);
    EXPECT_THROW((*backend)(PackedProduct{.x = x, .weights = {&wrong, 1}, .y = y}), ShapeError);
    EXPECT_THROW((*backend)(PackedProduct{.x = wide, .weights = {}, .y = y}), ShapeError);
    EXPECT_THROW((*backend)(PackedEmbedding{.table = wrong, .ids = ids, .y = x}), ShapeError);
    EXPECT_THROW((*backend)(PackedEmbedding{.table = wrong, .ids = ids, .y = wide}), ShapeError);
  }
}

}  // namespace
}  // namespace weft::kernels
