// The kernel backends: `ref` (naive loops in float and double) and `cpu` (SIMD and oneDNN, with
// `ref` as fallback). A kernel is called through its call struct,
//   backend(Softmax{.x = x, .y = y}),
// which is declared in a header of its own. Inputs and outputs are views; kernels know no tensors
// or tapes and keep no memory after a call. The caller checks shapes. Unless stated otherwise, all
// views of a call have the same dtype and outputs are overwritten. Elementwise kernels, softmax,
// norms and dropout may run in place; other kernels only if stated.
//
// If the first view is BF16, arithmetic is in F32, and sums over rows are stored as F32
// (statistics, log-sum-exp, losses, parameter gradients). BF16 is not supported by softmax,
// log_softmax and their gradients, sinkhorn, row_argmax, sum_of_squares, quantise_rows, ctc, and
// for the queries of cached_attention and linear_attention_step.
#ifndef WEFT_KERNELS_BACKEND_H_
#define WEFT_KERNELS_BACKEND_H_

#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>

#include "weft/core/dtype.h"
#include "weft/kernels/list.h"

namespace weft::kernels {

// A function table with one entry per kernel of the list.
class Backend {
 public:
  // From a type with kName, is_fast_in(type), and run(call) for every call struct.
  template <class Device>
  explicit constexpr Backend(Device)
      : name_(Device::kName),
        is_fast_in_(&Device::is_fast_in),
        table_(table_of<Device>(Kernels())) {}

  std::string_view name() const { return name_; }
  // Whether this backend has fast training kernels for the type.
  bool is_fast_in(DType type) const { return is_fast_in_(type); }

  // Runs a kernel. If the calling thread is profiling, a span records its name and cost.
  template <class K>
  void operator()(const K& call) const {
    table_[index_of<K>(Kernels())](&call);
  }

 private:
  using Run = void (*)(const void* call);
  template <class... K>
  using Table = std::array<Run, sizeof...(K)>;

  template <class Device, class... K>
  static constexpr Table<K...> table_of(List<K...>) {
    return {[](const void* call) { Device::run(*static_cast<const K*>(call)); }...};
  }
  template <class Call, class... K>
  static constexpr size_t index_of(List<K...>) {
    static_assert((std::is_same_v<Call, K> || ...), "not in kernels/list.h");
    size_t index = 0;
    static_cast<void>(((std::is_same_v<Call, K> ? false : ++index > 0) && ...));
    return index;
  }

  std::string_view name_;
  bool (*is_fast_in_)(DType type);
  decltype(table_of<void>(Kernels())) table_;
};

const Backend& ref_backend();
const Backend& cpu_backend();
// `name` is "cpu" or "ref". Throws OptionError for another name.
const Backend& backend_named(std::string_view name);
// The backend of the environment variable WEFT_BACKEND, limited by WEFT_MAX_CPU_ISA. Read once.
const Backend& default_backend();

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_BACKEND_H_
