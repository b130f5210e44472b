#include "weft/kernels/cpu/products/panel_gemm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/kernels/buffer.h"
#include "tests/kernels/cases.h"
#include "tests/kernels/compare.h"
#include "tests/kernels/cpu/products/bf16_matrix.h"
#include "tests/support/kept_threads.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"

namespace weft::kernels::cpu {
namespace {

using F32 = test::Buffer<float>;
using test::Bf16Matrix;

// The rows of whole tiles that a kernel with tiles reads and writes.
thread_local int64_t tile_rows = 1;

// As the kernels of instructions that this processor may lack, element by element.
void multiply_plainly(const PackedBlock& b) {
  const int64_t rows = (b.rows + tile_rows - 1) / tile_rows * tile_rows;
  const int64_t cols = b.count * kPanelRows;
  for (int64_t r = 0; r < rows; ++r) {
    const auto* x = reinterpret_cast<const BF16*>(b.x + r * b.x_stride);
    for (int64_t c = 0; c < cols; ++c) {
      const auto* w = reinterpret_cast<const BF16*>(b.panels + c / kPanelRows * b.panel_bytes);
      float sum = 0;
      for (int64_t k = 0; k < 2 * b.k_blocks; ++k) {
        const int64_t element = k / 2 * 2 * kPanelRows + c % kPanelRows * 2 + k % 2;
        sum += static_cast<float>(x[k]) * static_cast<float>(w[element]);
      }
      static_cast<float*>(b.sums)[r * cols + c] = sum;
    }
  }
}

constexpr PackedKernel kPlainDots{
    .name = "plain dots",
    .type = DType::kBF16,
    .form = RowForm::kBF16,
    .max_rows = 8,
    .row_step = 1,
    .k_step = 1,
    .panels = [](int64_t rows) { return std::min<int64_t>(8, 24 / rows); },
    .multiply = multiply_plainly};
constexpr PackedKernel kPlainTiles{
    .name = "plain tiles",
    .type = DType::kBF16,
    .form = RowForm::kBF16,
    .max_rows = 32,
    .row_step = 16,
    .k_step = 16,
    .panels = [](int64_t rows) -> int64_t { return rows > 16 ? 2 : 4; },
    .multiply = multiply_plainly,
    .open = [](int64_t rows) { tile_rows = std::min<int64_t>(rows, 16); },
    .close = [] { tile_rows = 1; }};

// The plain kernels and those of this processor.
std::vector<PackedKernel> kernels() {
  std::vector<PackedKernel> out = packed_kernels(DType::kBF16);
  std::erase_if(out, [](const PackedKernel& kernel) { return kernel.form != RowForm::kBF16; });
  out.push_back(kPlainDots);
  out.push_back(kPlainTiles);
  return out;
}

struct Operands {
  explicit Operands(const test::GemmCase& n)
      : a(n.m, n.k, 1, n.slack),
        a_t(n.k, n.m, 2, n.slack),
        b(n.k, n.n, 3, n.slack),
        b_t(n.n, n.k, 4, n.slack),
        bias(1, n.n, 5, 0) {}
  Bf16Matrix a, a_t, b, b_t, bias;
};

std::vector<test::GemmCase> cases() {
  std::vector<test::GemmCase> out = test::gemm_cases();
  std::erase_if(out, [](const test::GemmCase& c) { return c.m == 0; });
  // Sums in several chunks, also of several packed parts where C is F32.
  out.insert(out.end(), {{40, 2100, 70, 0}, {17, 1026, 33, 2}, {3, 8300, 5, 0}, {96, 64, 96, 0}});
  return out;
}

struct Form {
  bool transpose_a, transpose_b;
  float beta;
  bool fused;  // with bias and an activation
  DType type;  // of C
};

class PanelGemmTest : public testing::TestWithParam<test::GemmCase> {
 protected:
  void expect_reference(const PackedKernel& kernel, Operands& x, const Form& form) const {
    const test::GemmCase& n = GetParam();
    const bool is_rounded = form.type == DType::kBF16;
    Bf16Matrix start(n.m, n.n, 6, 0);
    F32 got = F32::random(n.m, n.n, 6), expected = got;
    ref_backend()(Copy{.x = start.floats(), .y = got});
    ref_backend()(Copy{.x = start.floats(), .y = expected});
    Bf16Matrix& a = form.transpose_a ? x.a_t : x.a;
    Bf16Matrix& b = form.transpose_b ? x.b_t : x.b;
    Gemm g{.a = a,
           .b = b,
           .c = is_rounded ? View(start) : View(got),
           .transpose_a = form.transpose_a,
           .transpose_b = form.transpose_b,
           .beta = form.beta};
    if (form.fused) g.bias = x.bias, g.activation = Activation::kGelu;
    panel_gemm(g, kernel);
    if (is_rounded) ref_backend()(Copy{.x = start, .y = got});
    g.a = a.floats(), g.b = b.floats(), g.c = expected;
    if (form.fused) g.bias = x.bias.floats();
    ref_backend()(g);
    test::expect_close(got, expected, is_rounded ? 0.01 : 1e-4);
  }
};

TEST_P(PanelGemmTest, AgreesWithTheReferenceInEveryForm) {
  Operands x(GetParam());
  for (const PackedKernel& kernel : kernels()) {
    for (const bool a : {false, true}) {
      for (const bool b : {false, true}) {
        SCOPED_TRACE(testing::Message() << kernel.name << (a ? ", a'" : ", a") << (b ? "b'" : "b"));
        expect_reference(kernel, x, {a, b, 0, false, DType::kF32});
        expect_reference(kernel, x, {a, b, 1, false, DType::kF32});
        expect_reference(kernel, x, {a, b, 1, false, DType::kBF16});
        expect_reference(kernel, x, {a, b, 1, true, DType::kF32});
        expect_reference(kernel, x, {a, b, 0, true, DType::kBF16});
      }
    }
  }
}

TEST_P(PanelGemmTest, ARowHasTheSameBitsAmongAnyRowsAndThreads) {
  const test::GemmCase& n = GetParam();
  const Operands x(n);
  const weft::test::KeptThreads kept;
  for (const PackedKernel& kernel : kernels()) {
    SCOPED_TRACE(kernel.name);
    F32 whole(n.m, n.n), some(n.m, n.n);
    set_threads(1);
    panel_gemm({.a = x.a, .b = x.b, .c = whole}, kernel);
    for (const int threads : {1, 3}) {
      set_threads(threads);
      for (const int64_t rows : {int64_t{1}, n.m / 2, n.m - 1, n.m}) {
        if (rows < 1) continue;
        View a = x.a, c = some;
        a.rows = c.rows = rows;
        panel_gemm({.a = a, .b = x.b, .c = c}, kernel);
        EXPECT_TRUE(std::equal(some.row(0), some.row(0) + rows * n.n, whole.row(0)))
            << rows << " rows, " << threads << " threads";
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, PanelGemmTest, testing::ValuesIn(cases()));

}  // namespace
}  // namespace weft::kernels::cpu
