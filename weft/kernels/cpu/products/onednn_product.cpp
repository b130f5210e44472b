#include <omp.h>

#include <bit>
#include <mutex>
#include <new>
#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>

#include "weft/core/error.h"
#include "weft/core/process_memory.h"
#include "weft/kernels/cpu/products/gemm_part.h"
#include "weft/kernels/cpu/products/packed_kernel.h"

namespace weft::kernels::cpu {
namespace {

using dnnl::memory;
using dnnl::post_ops;

// The distance of neighbours along each dimension of a matrix.
struct Strides {
  int64_t row, col;
  bool operator==(const Strides&) const = default;
};

// oneDNN's cache of primitives ignores the stride of a dimension of size 1, but its choice of an
// algorithm, which determines the bits, does not. So such a dimension has the stride that it has in
// a dense matrix: else bits would depend on which product of the process came first.
Strides strides_of(int64_t rows, int64_t cols, int64_t stride, bool is_transposed = false) {
  Strides out = is_transposed ? Strides{1, stride} : Strides{stride, 1};
  if (cols == 1) out.col = 1;
  if (rows == 1) out.row = out.col == 1 ? cols : 1;
  return out;
}

// The properties that a primitive depends on.
struct Key {
  int64_t m, n, k;
  Strides a, b, c;  // of op(A), op(B) and C
  bool accumulate, bias;
  Activation activation;
  DType type, c_type;  // of A, B and bias; of C

  bool operator==(const Key&) const = default;
};

struct KeyHash {
  size_t operator()(const Key& key) const {
    uint64_t h = static_cast<uint64_t>(key.activation) | uint64_t{key.accumulate} << 6 |
                 uint64_t{key.bias} << 7 | static_cast<uint64_t>(key.type) << 32 |
                 static_cast<uint64_t>(key.c_type) << 40;
    for (const int64_t v :
         {key.m, key.n, key.k, key.a.row, key.a.col, key.b.row, key.b.col, key.c.row}) {
      h = (std::rotl(h, 23) ^ static_cast<uint64_t>(v)) * 0x9E3779B97F4A7C15u;
    }
    return h ^ h >> 32;
  }
};

// oneDNN 2 and 3 have different primitive descriptors.
template <class Matmul>
auto describe(const dnnl::engine& engine, const memory::desc (&d)[4],
              const dnnl::primitive_attr& attributes) {
  if constexpr (requires { typename Matmul::desc; }) {
    return typename Matmul::primitive_desc(typename Matmul::desc(d[0], d[1], d[2], d[3]),
                                           attributes, engine);
  } else {
    return typename Matmul::primitive_desc(engine, d[0], d[1], d[2], d[3], attributes);
  }
}

template <class Ops>
void append_eltwise(Ops& ops, dnnl::algorithm algorithm, float alpha, float beta = 0) {
  if constexpr (requires { ops.append_eltwise(1.0f, algorithm, alpha, beta); }) {
    ops.append_eltwise(1.0f, algorithm, alpha, beta);
  } else {
    ops.append_eltwise(algorithm, alpha, beta);
  }
}

memory::desc describe(DType type, int64_t rows, int64_t cols, Strides strides) {
  return {{rows, cols},
          type == DType::kBF16 ? memory::data_type::bf16 : memory::data_type::f32,
          {strides.row, strides.col}};
}

// A primitive with the memory handles of its operands, which are set before each run.
class Product {
 public:
  Product(const Key& key, const dnnl::engine& engine) {
    const memory::desc d[4] = {
        describe(key.type, key.m, key.k, key.a),
        describe(key.type, key.k, key.n, key.b),
        key.bias ? describe(key.type, 1, key.n, {key.n, 1}) : memory::desc(),
        describe(key.c_type, key.m, key.n, key.c),
    };
    // The bias is added before the post-ops, which run in this order.
    post_ops ops;
    if (key.accumulate) ops.append_sum(1.0f);
    switch (key.activation) {
      case Activation::kNone: break;
      case Activation::kRelu: append_eltwise(ops, dnnl::algorithm::eltwise_relu, 0); break;
      case Activation::kGelu: append_eltwise(ops, dnnl::algorithm::eltwise_gelu_erf, 0); break;
      case Activation::kGeluTanh: append_eltwise(ops, dnnl::algorithm::eltwise_gelu_tanh, 0); break;
      case Activation::kSilu: append_eltwise(ops, dnnl::algorithm::eltwise_swish, 1); break;
      case Activation::kTanh: append_eltwise(ops, dnnl::algorithm::eltwise_tanh, 0); break;
      case Activation::kSigmoid: append_eltwise(ops, dnnl::algorithm::eltwise_logistic, 0); break;
      case Activation::kEluPlusOne:
        append_eltwise(ops, dnnl::algorithm::eltwise_elu, 1);
        append_eltwise(ops, dnnl::algorithm::eltwise_linear, 1, 1);
        break;
    }
    dnnl::primitive_attr attributes;
    attributes.set_post_ops(ops);
    primitive_ = dnnl::matmul(describe<dnnl::matmul>(engine, d, attributes));
    const int roles[4] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_BIAS, DNNL_ARG_DST};
    for (int i = 0; i < 4; ++i) {
      if (i == 2 && !key.bias) continue;
      operands_[count_] = memory(d[i], engine, nullptr);
      arguments_[count_] = {roles[i], operands_[count_].get()};
      ++count_;
    }
  }

  void run(const Gemm& g, dnnl::stream& stream) {
    int i = 0;
    operands_[i++].set_data_handle(g.a.data);
    operands_[i++].set_data_handle(g.b.data);
    if (g.bias) operands_[i++].set_data_handle(g.bias.data);
    operands_[i].set_data_handle(g.c.data);
    dnnl::error::wrap_c_api(
        dnnl_primitive_execute(primitive_.get(), stream.get(), count_, arguments_),
        "could not run");
    stream.wait();
  }

 private:
  dnnl::matmul primitive_;
  memory operands_[4];
  dnnl_exec_arg_t arguments_[4];
  int count_ = 0;
};

// oneDNN crashes if it cannot allocate memory for a primitive, so check first that enough can be
// allocated. Holds a lock, since two threads may each create a primitive.
class PrimitiveMemoryGuard {
 public:
  PrimitiveMemoryGuard() : lock_(mutex()) {
    constexpr size_t kBytes = size_t{24} << 20;
    if (!can_map(kBytes)) {
      fail<Error>("memory", "cannot allocate {} bytes, which a matrix product may need", kBytes);
    }
  }

 private:
  static std::mutex& mutex() {
    static std::mutex one;
    return one;
  }
  std::lock_guard<std::mutex> lock_;
};

// A cache of primitives, whose creation costs as much as a small product. One per thread, since a
// product holds its operands while it runs.
class Products {
 public:
  Product& get(const Key& key) {
    if (const auto found = products_.find(key); found != products_.end()) return found->second;
    if (products_.size() >= kLimit) products_.clear();
    const PrimitiveMemoryGuard guard;
    return products_.try_emplace(key, key, engine_).first->second;
  }
  dnnl::stream& stream() { return stream_; }

 private:
  static constexpr size_t kLimit = 1024;
  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  std::unordered_map<Key, Product, KeyHash> products_;
};

// Limits OpenMP to one thread for the calling thread during this object's lifetime. oneDNN would
// otherwise start OpenMP threads, which spin and compete with Weft's pool.
class SingleOpenMpThread {
 public:
  SingleOpenMpThread() { omp_set_num_threads(1); }
  ~SingleOpenMpThread() { omp_set_num_threads(before_); }
  SingleOpenMpThread(const SingleOpenMpThread&) = delete;
  SingleOpenMpThread& operator=(const SingleOpenMpThread&) = delete;

 private:
  int before_ = omp_get_max_threads();
};

bool has_isa(dnnl::cpu_isa isa) {
  const auto wanted = static_cast<unsigned>(isa);
  return allows_avx512() &&
         (static_cast<unsigned>(dnnl::get_effective_cpu_isa()) & wanted) == wanted;
}

}  // namespace

void keep_onednn_from_tiles() { dnnl::set_max_cpu_isa(dnnl::cpu_isa::avx512_core_bf16); }

bool multiplies_bf16() { return has_isa(dnnl::cpu_isa::avx512_core_bf16); }

bool suits_onednn(DType type) {
  return type == DType::kBF16 ? multiplies_bf16() : has_isa(dnnl::cpu_isa::avx512_core);
}

void onednn_product(const Gemm& g) {
  const int64_t m = g.c.rows, n = g.c.cols, k = g.depth();
  const Key key{.m = m,
                .n = n,
                .k = k,
                .a = strides_of(m, k, g.a.stride, g.transpose_a),
                .b = strides_of(k, n, g.b.stride, g.transpose_b),
                .c = strides_of(m, n, g.c.stride),
                .accumulate = g.beta != 0,
                .bias = static_cast<bool>(g.bias),
                .activation = g.activation,
                .type = g.a.dtype,
                .c_type = g.c.dtype};
  thread_local Products products;
  const SingleOpenMpThread one_thread;
  try {
    products.get(key).run(g, products.stream());
  } catch (const dnnl::error& e) {
    if (e.status == dnnl_out_of_memory) throw std::bad_alloc();
    fail<Error>("gemm", "oneDNN refused [{}, {}] x [{}, {}]: {}", m, k, k, n, e.what());
  }
}

}  // namespace weft::kernels::cpu
