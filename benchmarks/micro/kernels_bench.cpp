// Measures the fast kernels at the shapes of training, in bytes or floating-point operations per
// second. WEFT_BACKEND=ref measures the reference instead.
#include <benchmark/benchmark.h>
#include <fmt/core.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "weft/core/random.h"
#include "weft/kernels/activation.h"
#include "weft/kernels/adam.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/blocks.h"
#include "weft/kernels/dropout.h"
#include "weft/kernels/elementwise.h"
#include "weft/kernels/embedding.h"
#include "weft/kernels/gemm.h"
#include "weft/kernels/loss.h"
#include "weft/kernels/norm.h"
#include "weft/kernels/packed.h"
#include "weft/kernels/reduce.h"
#include "weft/kernels/softmax.h"

namespace weft::kernels {
namespace {

const Backend& backend() { return default_backend(); }

// A matrix of uniform numbers in [-1, 1).
class Numbers {
 public:
  Numbers(int64_t rows, int64_t cols)
      : rows_(rows), cols_(cols), data_(static_cast<size_t>(rows * cols)) {
    RandomStream draws(1, 1);
    for (float& x : data_) x = static_cast<float>(2 * draws.uniform() - 1);
  }
  operator View() { return {data_.data(), DType::kF32, rows_, cols_, cols_, rows_}; }  // NOLINT
  float* data() { return data_.data(); }
  int64_t bytes() const { return 4 * rows_ * cols_; }

 private:
  int64_t rows_, cols_;
  std::vector<float> data_;
};

std::vector<int32_t> random_ids(int64_t n, int64_t below) {
  std::vector<int32_t> ids(static_cast<size_t>(n));
  RandomStream draws(2, 2);
  for (int32_t& id : ids) id = static_cast<int32_t>(draws.below(static_cast<uint64_t>(below)));
  return ids;
}

// Rows of sentences of 30 tokens, for kernels whose dropout depends on sentence and position.
struct Places {
  explicit Places(int64_t rows) {
    for (int64_t n = 0; n < rows; ++n) {
      sentence.push_back(static_cast<int32_t>(n / 30));
      position.push_back(static_cast<int32_t>(n % 30));
    }
  }
  DropoutMask dropout(double share) const {
    return {static_cast<uint32_t>(share * 65536), 1, {1, 2}, sentence.data(), position.data()};
  }
  std::vector<int32_t> sentence, position;
};

// The operands of kernels over rows.
struct Rows {
  Rows(int64_t rows, int64_t cols)
      : x(rows, cols),
        z(rows, cols),
        y(rows, cols),
        h(rows, cols),
        gamma(1, cols),
        beta(1, cols),
        d_gamma(1, cols),
        d_beta(1, cols),
        stats(rows, 2),
        places(rows),
        ids(random_ids(rows, cols)),
        loss(ids.size()),
        nll(ids.size()) {
    backend()(norm());
  }
  LayerNorm norm() { return {.x = x, .gamma = gamma, .beta = beta, .y = y, .stats = stats}; }
  SoftmaxLoss cross_entropy(View d_x) {
    return {.x = x,
            .targets = ids.data(),
            .smoothing = 0.1,
            .loss = loss.data(),
            .nll = nll.data(),
            .d_x = d_x};
  }
  Numbers x, z, y, h, gamma, beta, d_gamma, d_beta, stats;
  Places places;
  std::vector<int32_t> ids;
  std::vector<double> loss, nll;
};

struct RowKernel {
  const char* name;
  int64_t moved;  // matrices read or written
  std::function<void(Rows&)> run;
};

std::vector<RowKernel> hidden_kernels() {
  using enum Activation;
  return {
      {"add", 3, [](Rows& r) { backend()(Add{.x = r.x, .z = r.z, .y = r.y}); }},
      {"accumulate", 3, [](Rows& r) { backend()(Accumulate{.alpha = 0.5, .x = r.x, .y = r.y}); }},
      {"relu", 2, [](Rows& r) { backend()(Activate{.kind = kRelu, .x = r.x, .y = r.y}); }},
      {"gelu", 2, [](Rows& r) { backend()(Activate{.kind = kGelu, .x = r.x, .y = r.y}); }},
      {"silu", 2, [](Rows& r) { backend()(Activate{.kind = kSilu, .x = r.x, .y = r.y}); }},
      {"d_relu", 3,
       [](Rows& r) {
         backend()(ActivateBackward{.kind = kRelu, .x = r.x, .d_y = r.z, .d_x = r.y});
       }},
      {"d_gelu", 3,
       [](Rows& r) {
         backend()(ActivateBackward{.kind = kGelu, .x = r.x, .d_y = r.z, .d_x = r.y});
       }},
      {"dropout", 2,
       [](Rows& r) { backend()(Dropout{.mask = r.places.dropout(0.1), .x = r.x, .y = r.y}); }},
      {"softmax", 2, [](Rows& r) { backend()(Softmax{.x = r.x, .y = r.y}); }},
      {"d_softmax", 3,
       [](Rows& r) { backend()(SoftmaxBackward{.y = r.x, .d_y = r.z, .d_x = r.y}); }},
      {"layer_norm", 2, [](Rows& r) { backend()(r.norm()); }},
      {"d_layer_norm", 3,
       [](Rows& r) {
         backend()(LayerNormBackward{.x = r.x,
                                     .gamma = r.gamma,
                                     .stats = r.stats,
                                     .d_y = r.z,
                                     .d_x = r.y,
                                     .d_gamma = r.d_gamma,
                                     .d_beta = r.d_beta});
       }},
      {"residual_norm", 4,
       [](Rows& r) {
         backend()(ResidualNorm{.dropout = r.places.dropout(0.1),
                                .x = r.x,
                                .residual = r.z,
                                .gamma = r.gamma,
                                .beta = r.beta,
                                .h = r.h,
                                .y = r.y,
                                .stats = r.stats});
       }},
      {"column_sum", 1, [](Rows& r) { backend()(ColumnSum{.x = r.x, .y = r.d_gamma}); }},
      {"sum_of_squares", 1,
       [](Rows& r) {
         double sum = 0;
         backend()(SumOfSquares{.x = r.x, .sum = &sum});
         benchmark::DoNotOptimize(sum);
       }},
  };
}

std::vector<RowKernel> logit_kernels() {
  return {
      {"cross_entropy", 2, [](Rows& r) { backend()(r.cross_entropy(r.y)); }},
      {"cross_entropy_value", 1, [](Rows& r) { backend()(r.cross_entropy({})); }},
      {"row_argmax", 1, [](Rows& r) { backend()(RowArgmax{.x = r.x, .index = r.ids.data()}); }},
      {"log_softmax", 2, [](Rows& r) { backend()(LogSoftmax{.x = r.x, .y = r.y}); }},
      {"column_sum", 1, [](Rows& r) { backend()(ColumnSum{.x = r.x, .y = r.d_gamma}); }},
  };
}

void register_rows(const std::vector<RowKernel>& kernels, int64_t rows, int64_t cols) {
  for (const RowKernel& kernel : kernels) {
    const std::string name = fmt::format("{}/{}x{}", kernel.name, rows, cols);
    benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
      Rows r(rows, cols);
      for (auto _ : state) kernel.run(r);
      state.SetBytesProcessed(kernel.moved * r.x.bytes() * state.iterations());
    });
  }
}

void embedding(benchmark::State& state) {
  const int64_t rows = state.range(0), cols = state.range(1), vocabulary = 10000;
  Numbers table(vocabulary, cols), y(rows, cols);
  const std::vector<int32_t> ids = random_ids(rows, vocabulary);
  const Places places(rows);
  for (auto _ : state)
    backend()(Embedding{
        .table = table, .ids = ids.data(), .scale = 2, .position = places.position.data(), .y = y});
  state.SetBytesProcessed(2 * y.bytes() * state.iterations());
}
BENCHMARK(embedding)->Args({4096, 128})->Args({32, 512});

void d_embedding(benchmark::State& state) {
  const int64_t rows = state.range(0), cols = state.range(1), vocabulary = 10000;
  Numbers d_table(vocabulary, cols), d_y(rows, cols);
  const std::vector<int32_t> ids = random_ids(rows, vocabulary);
  for (auto _ : state)
    backend()(EmbeddingBackward{.ids = ids.data(), .scale = 1e-3, .d_y = d_y, .d_table = d_table});
  state.SetBytesProcessed(3 * d_y.bytes() * state.iterations());
}
BENCHMARK(d_embedding)->Args({4096, 128});

void adam(benchmark::State& state) {
  const int64_t n = state.range(0);
  Numbers weights(1, n), gradient(1, n), m(1, n), v(1, n), ema(1, n);
  backend()(Multiply{.x = v, .z = v, .y = v});
  const Adam a{.weights = weights.data(),
               .gradient = gradient.data(),
               .m = m.data(),
               .v = v.data(),
               .ema = ema.data(),
               .n = n,
               .gradient_scale = 1,
               .learn_rate = 1e-4f,
               .beta1 = 0.9f,
               .beta2 = 0.98f,
               .epsilon = 1e-9f,
               .v_correction = 1.1f,
               .weight_decay = 0,
               .ema_decay = 0.999f};
  for (auto _ : state) backend()(a);
  state.SetBytesProcessed(9 * gradient.bytes() * state.iterations());
}
BENCHMARK(adam)->Arg(3'000'000);

// y = x W^T, d_x = d_y W and d_W = d_y^T x for x [m, k] and W [n, k].
void register_products(int64_t m, int64_t n, int64_t k) {
  const auto add = [=](const char* name, void (*product)(View x, View w, View y)) {
    const std::string full = fmt::format("{}/m={}/n={}/k={}", name, m, n, k);
    benchmark::RegisterBenchmark(full.c_str(), [=](benchmark::State& state) {
      Numbers x(m, k), w(n, k), y(m, n);
      for (auto _ : state) product(x, w, y);
      const double operations = 2.0 * static_cast<double>(m * n * k);
      state.counters["flop/s"] =
          benchmark::Counter(operations, benchmark::Counter::kIsIterationInvariantRate);
    });
  };
  add("product",
      [](View x, View w, View y) { backend()(Gemm{.a = x, .b = w, .c = y, .transpose_b = true}); });
  add("d_product_x", [](View x, View w, View y) { backend()(Gemm{.a = y, .b = w, .c = x}); });
  add("d_product_w",
      [](View x, View w, View y) { backend()(Gemm{.a = y, .b = x, .c = w, .transpose_a = true}); });
}

// Packed weights; their values do not affect the time.
class PackedNumbers {
 public:
  PackedNumbers(DType type, int64_t rows, int64_t cols)
      : space_(static_cast<size_t>(packed_bytes(type, rows, cols)) + kKBlockBytes, std::byte{0}),
        scales_(static_cast<size_t>(panels_of(rows) * kPanelRows), 1.0f),
        sums_(scales_.size(), 0) {
    const auto at = reinterpret_cast<uintptr_t>(space_.data());
    packed_ = {.panels = space_.data() + (kKBlockBytes - at % kKBlockBytes) % kKBlockBytes,
               .type = type,
               .rows = rows,
               .cols = cols,
               .scales = scales_.data(),
               .sums = sums_.data()};
  }
  PackedNumbers(const PackedNumbers&) = delete;
  PackedNumbers& operator=(const PackedNumbers&) = delete;
  const Packed& packed() const { return packed_; }

 private:
  std::vector<std::byte> space_;
  std::vector<float> scales_;
  std::vector<int32_t> sums_;
  Packed packed_;
};

// y = relu(x W^T + bias) for x [m, k] and packed W [n, k].
void register_packed_products(int64_t m, int64_t n, int64_t k) {
  for (const DType type : {DType::kF32, DType::kBF16, DType::kI8}) {
    const std::string name =
        fmt::format("packed_product/{}/m={}/n={}/k={}", name_of(type), m, n, k);
    benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
      Numbers x(m, k), bias(1, n), y(m, n);
      const PackedNumbers w(type, n, k);
      for (auto _ : state) {
        backend()(PackedProduct{.x = x,
                                .weights = {&w.packed(), 1},
                                .bias = bias,
                                .activation = Activation::kRelu,
                                .y = y});
      }
      state.SetBytesProcessed(packed_bytes(type, n, k) * state.iterations());
      const double operations = 2.0 * static_cast<double>(m * n * k);
      state.counters["flop/s"] =
          benchmark::Counter(operations, benchmark::Counter::kIsIterationInvariantRate);
    });
  }
}

// y = x W^T for x [m, k] and W [n, k] in blocks, whose values do not affect the time.
void register_block_products(int64_t m, int64_t n, int64_t k) {
  using enum BlockType;
  for (const BlockType type : {kQ4_0, kQ4_1, kQ5_0, kQ5_1, kQ8_0, kQ4_K, kQ5_K, kQ6_K}) {
    const std::string name =
        fmt::format("block_product/{}/m={}/n={}/k={}", format_of(type).name, m, n, k);
    benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
      Numbers x(m, k), y(m, n), space((packed_bytes(type, n, k) + 3) / 4, 1);
      const Packed w{space.data(), type, n, k};
      for (auto _ : state) backend()(PackedProduct{.x = x, .weights = {&w, 1}, .y = y});
      state.SetBytesProcessed(packed_bytes(type, n, k) * state.iterations());
      const double operations = 2.0 * static_cast<double>(m * n * k);
      state.counters["flop/s"] =
          benchmark::Counter(operations, benchmark::Counter::kIsIterationInvariantRate);
    });
  }
}

// Preparing weights when a model is loaded.
void quantise_and_pack(benchmark::State& state) {
  const int64_t rows = state.range(0), cols = state.range(1);
  Numbers w(rows, cols);
  std::vector<int8_t> integers(static_cast<size_t>(rows * cols));
  std::vector<float> scales(static_cast<size_t>(rows));
  std::vector<int32_t> sums(static_cast<size_t>(panels_of(rows) * kPanelRows));
  std::vector<std::byte> panels(static_cast<size_t>(packed_bytes(DType::kI8, rows, cols)));
  const View q{integers.data(), DType::kI8, rows, cols, cols, rows};
  for (auto _ : state) {
    backend()(QuantiseRows{.w = w, .q = q, .scales = scales.data()});
    backend()(Pack{.w = q, .panels = panels.data(), .sums = sums.data()});
  }
  state.SetBytesProcessed(w.bytes() * state.iterations());
}
BENCHMARK(quantise_and_pack)->Args({32000, 512});

const bool kRegistered = [] {
  for (const int64_t m : {1, 4, 32, 128}) {
    register_packed_products(m, 32001, 512);
    register_packed_products(m, 2048, 512);
    register_packed_products(m, 512, 2048);
    register_packed_products(m, 512, 512);
  }
  for (const int64_t m : {1, 8, 64, 512}) {
    register_block_products(m, 4096, 4096);
    register_block_products(m, 576, 1536);  // of a small language model
  }
  register_rows(hidden_kernels(), 4096, 128);
  register_rows(hidden_kernels(), 4096, 512);
  register_rows(logit_kernels(), 256, 10000);
  register_rows(logit_kernels(), 8, 32000);
  for (const auto& [n, k] : {std::pair{384, 128}, {128, 128}, {256, 128}, {128, 256}}) {
    register_products(4096, n, k);
  }
  register_products(256, 10000, 128);
  register_products(1024, 2048, 512);
  return true;
}();

}  // namespace
}  // namespace weft::kernels
