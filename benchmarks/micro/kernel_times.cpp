// Measures single kernel calls, for the experiments under tasks/. Each line of standard input is
//
//     gemm FORM TYPE M N K            FORM ab, ab' or a'b; TYPE f32 or bf16; C is f32 for a'b
//     attention PASS TYPE LENGTH      8 heads of 64, one sentence; PASS forward or both
//
// and produces one line of output: the seconds of the best of several calls. The only argument of
// the program is the number of threads.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>
#include <sstream>

#include "weft/core/error.h"
#include "weft/core/parallel.h"
#include "weft/core/random.h"
#include "weft/core/timer.h"
#include "weft/kernels/attention.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/gemm.h"
#include "weft/tensor/tensor.h"

namespace weft {
namespace {

Tensor random_tensor(Shape shape, DType type) {
  const Tensor out = Tensor::empty(shape);
  RandomStream random(1, static_cast<uint64_t>(shape.size()));
  for (float& x : out.span<float>()) x = static_cast<float>(2 * random.uniform() - 1);
  return out.to(type);
}

double best_of(const std::function<void()>& call) {
  Timer whole;
  double best = 1e30;
  for (int i = 0; i < 5 || (whole.seconds() < 0.3 && i < 1000); ++i) {
    const Timer timer;
    call();
    best = std::min(best, timer.seconds());
  }
  return best;
}

// Whether a word is the second of two; throws OptionError if it is neither.
bool is_second(const std::string& word, const char* first, const char* second) {
  if (word != first && word != second) {
    fail<OptionError>("kernel_times", "expected {} or {}, got '{}'", first, second, word);
  }
  return word == second;
}

int64_t read_size(std::istream& words) {
  int64_t size = 0;
  if (!(words >> size) || size < 1) {
    fail<OptionError>("kernel_times", "expected a positive size after the type");
  }
  return size;
}

double gemm_time(std::istream& words, DType type, const std::string& form) {
  if (form != "ab") is_second(form, "ab'", "a'b");
  const int64_t m = read_size(words), n = read_size(words), k = read_size(words);
  const bool transpose_a = form == "a'b", transpose_b = form == "ab'";
  const Tensor a = random_tensor(transpose_a ? Shape{k, m} : Shape{m, k}, type);
  const Tensor b = random_tensor(transpose_b ? Shape{n, k} : Shape{k, n}, type);
  const Tensor c = Tensor::zeros({m, n}, transpose_a ? DType::kF32 : type);
  return best_of([&] {
    backend_of(a)(kernels::Gemm{.a = a,
                                .b = b,
                                .c = c,
                                .transpose_a = transpose_a,
                                .transpose_b = transpose_b,
                                .beta = transpose_a ? 1.0f : 0.0f});
  });
}

double attention_time(std::istream& words, DType type, bool with_backward) {
  constexpr int64_t kHeads = 8, kSize = 64;
  const int64_t length = read_size(words);
  const Shape shape{length, kHeads * kSize};
  const std::vector<int32_t> offsets = {0, static_cast<int32_t>(length)};
  const Tensor q = random_tensor(shape, type), k = random_tensor(shape, type);
  const Tensor v = random_tensor(shape, type), d_out = random_tensor(shape, type);
  const Tensor out = Tensor::empty(shape, type), lse = Tensor::empty({length, kHeads});
  const Tensor d_q = Tensor::empty(shape, type), d_k = Tensor::empty(shape, type);
  const Tensor d_v = Tensor::empty(shape, type);
  const kernels::Attention forward{.q = q,
                                   .k = k,
                                   .v = v,
                                   .out = out,
                                   .lse = lse,
                                   .q_offsets = offsets,
                                   .k_offsets = offsets,
                                   .heads = kHeads,
                                   .scale = 1 / std::sqrt(static_cast<double>(kSize))};
  return best_of([&] {
    backend_of(q)(forward);
    if (with_backward)
      backend_of(q)(kernels::AttentionBackward{
          .forward = forward, .d_out = d_out, .d_q = d_q, .d_k = d_k, .d_v = d_v});
  });
}

double time_of(const std::string& line) {
  std::istringstream words(line);
  std::string kernel, kind, type;
  words >> kernel >> kind >> type;
  const DType dtype = is_second(type, "f32", "bf16") ? DType::kBF16 : DType::kF32;
  if (kernel == "gemm") return gemm_time(words, dtype, kind);
  if (kernel == "attention")
    return attention_time(words, dtype, is_second(kind, "forward", "both"));
  fail<OptionError>("kernel_times", "unknown kernel '{}'; expected gemm or attention", kernel);
}

}  // namespace
}  // namespace weft

int main(int argc, char** argv) {
  try {
    weft::set_threads(argc > 1 ? std::stoi(argv[1]) : 2);
    for (std::string line; std::getline(std::cin, line);) {
      fmt::print("{} {:.9f}\n", line, weft::time_of(line));
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
