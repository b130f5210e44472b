// Rows scattered to pages.
#include "weft/kernels/paged_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/kernels/buffer.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"

namespace weft::kernels {
namespace {

using ScatteredRows = test::Buffer<float>;

// The bytes of two pages of two rows each, with the rows of x at numbers 2, 0 and 3.
std::vector<std::byte> scattered(const Backend& backend, ScatteredRows& x, DType type) {
  constexpr int64_t kHeads = 2;
  const int64_t cols = type == DType::kI8 ? PagedRows::int8_bytes(x.cols(), kHeads) : x.cols();
  const size_t page = static_cast<size_t>(2 * cols) * size_of(type);
  std::vector<std::byte> memory(2 * page);
  const std::vector<View> pages = {{memory.data(), type, 2, cols, cols, 2},
                                   {memory.data() + page, type, 2, cols, cols, 2}};
  const std::vector<int32_t> index{2, 0, 3};
  backend(
      ScatterRows{.x = x.view(), .index = index.data(), .y = PagedRows(pages, 1), .heads = kHeads});
  return memory;
}

TEST(PagedRowsOfAnyType, AreWrittenAsTheReferenceWritesThem) {
  for (const int64_t cols : {2, 10, 64}) {
    ScatteredRows x = ScatteredRows::random(3, cols, 1);
    for (const DType type : {DType::kF32, DType::kBF16, DType::kI8}) {
      EXPECT_EQ(scattered(cpu_backend(), x, type), scattered(ref_backend(), x, type))
          << name_of(type) << ", " << cols;
    }
  }
}

TEST(PagedRowsOfInt8, KeepHalfAStepAndWhatIsNotFinite) {
  ScatteredRows x = ScatteredRows::random(3, 8, 2);
  x.at(1, 5) = std::numeric_limits<float>::infinity();
  const std::vector<std::byte> memory = scattered(cpu_backend(), x, DType::kI8);
  const auto* rows = reinterpret_cast<const int8_t*>(memory.data());
  const int64_t bytes = PagedRows::int8_bytes(8, 2);
  const int64_t numbers[] = {2, 0, 3};
  for (int64_t n = 0; n < 3; ++n) {
    const int8_t* row = rows + numbers[n] * bytes;
    for (int64_t f = 0; f < 8; ++f) {
      const float scale = PagedRows::scale_of(row, 8, f / 4);
      if (n == 1 && f >= 4) {
        EXPECT_TRUE(std::isnan(scale * static_cast<float>(row[f])));
      } else {
        EXPECT_NEAR(scale * static_cast<float>(row[f]), x.at(n, f), 0.5001f * scale);
      }
    }
  }
}

}  // namespace
}  // namespace weft::kernels
