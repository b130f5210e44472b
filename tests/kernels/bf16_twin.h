// A backend that runs BF16 kernels on F32 views: views of activations and weights are rounded to
// BF16, the BF16 kernel runs, and its outputs are converted back to F32. This way tests written for
// F32 compare BF16 kernels with the same reference.
#ifndef TESTS_KERNELS_BF16_TWIN_H_
#define TESTS_KERNELS_BF16_TWIN_H_

#include <initializer_list>
#include <list>
#include <vector>

#include "weft/kernels/activation.h"
#include "weft/kernels/attention.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/dropout.h"
#include "weft/kernels/elementwise.h"
#include "weft/kernels/embedding.h"
#include "weft/kernels/gemm.h"
#include "weft/kernels/loss.h"
#include "weft/kernels/norm.h"
#include "weft/kernels/recurrent.h"
#include "weft/kernels/reduce.h"

namespace weft::kernels::test {

// A BF16 copy of an F32 view; outputs are copied back at the end.
class Rounded {
 public:
  explicit Rounded(View x) : original_(x), data_(static_cast<size_t>(x.rows * x.cols) + 1) {
    if (x) cpu_backend()(Copy{.x = x, .y = view()});
  }
  View view() {
    if (!original_) return {};
    return {data_.data(),   DType::kBF16,   original_.rows,
            original_.cols, original_.cols, original_.rows};
  }
  operator View() { return view(); }  // NOLINT: like buffers
  void write_back() {
    if (original_) cpu_backend()(Copy{.x = view(), .y = original_});
  }

 private:
  View original_;
  std::vector<BF16> data_;
};

class RoundedOutput : public Rounded {
 public:
  using Rounded::Rounded;
  RoundedOutput(const RoundedOutput&) = delete;
  RoundedOutput& operator=(const RoundedOutput&) = delete;
  ~RoundedOutput() { write_back(); }
};

// The device of the backend: runs each kernel on BF16 copies of its views, or unchanged if it has
// no BF16 version.
struct RoundedCpu {
  static constexpr std::string_view kName = "cpu in bfloat16";
  static bool is_fast_in(DType type) { return cpu_backend().is_fast_in(type); }

  template <class K>
  static void run(const K& call) {
    cpu_backend()(call);
  }
  static void run(Gemm g) {
    if (g.transpose_a) return round({&g.a, &g.b, &g.bias}, {}, g);  // a gradient: C stays F32
    round({&g.a, &g.b, &g.bias}, {&g.c}, g);
  }
  static void run(Fill k) { round({}, {&k.y}, k); }
  static void run(Add k) { round({&k.x, &k.z}, {&k.y}, k); }
  static void run(Multiply k) { round({&k.x, &k.z}, {&k.y}, k); }
  static void run(Scale k) { round({&k.x}, {&k.y}, k); }
  static void run(Accumulate k) { round({&k.x}, {&k.y}, k); }
  static void run(ScaleRows k) { round({&k.x}, {&k.y}, k); }
  static void run(GatherRows k) { round({&k.x}, {&k.y}, k); }
  static void run(Activate k) { round({&k.x}, {&k.y}, k); }
  static void run(ActivateBackward k) { round({&k.x, &k.d_y}, {&k.d_x}, k); }
  static void run(Gate k) { round({&k.x}, {&k.y}, k); }
  static void run(GateBackward k) { round({&k.x, &k.d_y}, {&k.d_x}, k); }
  static void run(Dropout k) { round({&k.x}, {&k.y}, k); }
  static void run(ColumnSum k) { round({&k.x}, {}, k); }
  static void run(LayerNorm k) { round({&k.x, &k.gamma, &k.beta}, {&k.y}, k); }
  static void run(LayerNormBackward k) { round({&k.x, &k.gamma, &k.d_y}, {&k.d_x}, k); }
  static void run(RmsNorm k) { round({&k.x, &k.gamma}, {&k.y}, k); }
  static void run(RmsNormBackward k) { round({&k.x, &k.gamma, &k.d_y}, {&k.d_x}, k); }
  static void run(ResidualNorm k) {
    round({&k.x, &k.residual, &k.gamma, &k.beta}, {&k.h, &k.y}, k);
  }
  static void run(ColumnMoments k) { round({&k.x}, {}, k); }
  static void run(BatchNorm k) { round({&k.x, &k.gamma, &k.beta}, {&k.y}, k); }
  static void run(BatchNormBackward k) { round({&k.x, &k.gamma, &k.d_y}, {&k.d_x}, k); }
  static void run(Embedding k) { round({&k.table}, {&k.y}, k); }
  static void run(EmbeddingBackward k) { round({&k.d_y}, {}, k); }
  static void run(Attention k) { round({&k.q, &k.k, &k.v}, {&k.out}, k); }
  static void run(AttentionBackward k) {
    round({&k.forward.q, &k.forward.k, &k.forward.v, &k.forward.out, &k.d_out},
          {&k.d_q, &k.d_k, &k.d_v}, k);
  }
  static void run(AdditiveAttention k) { round({&k.q, &k.keys, &k.v, &k.values}, {&k.out}, k); }
  static void run(AdditiveAttentionBackward k) {
    round({&k.forward.q, &k.forward.keys, &k.forward.v, &k.forward.values, &k.d_out},
          {&k.d_q, &k.d_keys, &k.d_values}, k);
  }
  static void run(Cell k) { round({&k.x, &k.h, &k.state}, {&k.next}, k); }
  static void run(CellBackward k) {
    round({&k.forward.x, &k.forward.h, &k.forward.state, &k.d_next}, {&k.d_x, &k.d_h, &k.d_state},
          k);
  }
  static void run(SoftmaxLoss k) { round({&k.x}, {&k.d_x}, k); }
  static void run(Divergence k) { round({&k.x, &k.z}, {&k.d_x, &k.d_z}, k); }

 private:
  // Runs `call` on copies of the given views, which belong to it.
  template <class K>
  static void round(std::initializer_list<View*> inputs, std::initializer_list<View*> outputs,
                    const K& call) {
    std::list<Rounded> read;
    std::list<RoundedOutput> written;
    for (View* x : inputs) *x = read.emplace_back(*x);
    for (View* y : outputs) *y = written.emplace_back(*y);
    cpu_backend()(call);
  }
};

inline const Backend& bf16_twin() {
  static const Backend twin{RoundedCpu()};
  return twin;
}

}  // namespace weft::kernels::test

#endif  // TESTS_KERNELS_BF16_TWIN_H_
