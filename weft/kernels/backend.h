// Where kernels run: `ref` (naive loops, float and double) and `cpu` (SIMD and oneDNN; what it has
// no faster kernel for runs on the reference). A kernel is called by its struct,
//   backend(Softmax{.x = x, .y = y}),
// whose header is included beside this one. Views in, views out; no tensor, no tape, no allocation
// that outlives a call. The caller checks shapes. Unless a struct says otherwise, every view of a
// call has the dtype of its first and outputs are overwritten. In elementwise kernels, softmax,
// norms and dropout an output may be its own input; elsewhere only where the struct says so.
//
// Where the first view is BF16, sums over rows are F32 (statistics, log sums, losses, gradients of
// parameters), and arithmetic is done in F32. Not for BF16 are softmax, log_softmax and their
// gradients, sinkhorn, row_argmax, sum_of_squares, quantise_rows, ctc, and the queries of
// cached_attention and linear_attention_step.
#ifndef WEFT_KERNELS_BACKEND_H_
#define WEFT_KERNELS_BACKEND_H_

#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>

#include "weft/core/dtype.h"
#include "weft/kernels/list.h"

namespace weft::kernels {

// A table with one entry for each kernel of the list.
class Backend {
 public:
  // From a type with kName, is_fast_in(type), and run(call) for every call struct.
  template <class Device>
  explicit constexpr Backend(Device)
      : name_(Device::kName),
        is_fast_in_(&Device::is_fast_in),
        table_(table_of<Device>(Kernels())) {}

  std::string_view name() const { return name_; }
  // Whether training in this type has kernels here that are worth it.
  bool is_fast_in(DType type) const { return is_fast_in_(type); }

  // Runs a kernel. While the calling thread takes a profile, a span records the name and the cost.
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
  template <class Wanted, class... K>
  static constexpr size_t index_of(List<K...>) {
    static_assert((std::is_same_v<Wanted, K> || ...), "not in kernels/list.h");
    size_t index = 0;
    static_cast<void>(((std::is_same_v<Wanted, K> ? false : ++index > 0) && ...));
    return index;
  }

  std::string_view name_;
  bool (*is_fast_in_)(DType type);
  decltype(table_of<void>(Kernels())) table_;
};

const Backend& ref_backend();
const Backend& cpu_backend();
// "cpu" or "ref"; throws OptionError for another name.
const Backend& backend_named(std::string_view name);
// The one that the environment variable WEFT_BACKEND names, cpu where it is not set; chosen once.
const Backend& default_backend();

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_BACKEND_H_
