#include "weft/kernels/backend.h"

#include <cstdlib>
#include <optional>

#include "weft/core/error.h"
#include "weft/core/profile.h"
#include "weft/kernels/activation.h"
#include "weft/kernels/adam.h"
#include "weft/kernels/attention.h"
#include "weft/kernels/binary_cross_entropy.h"
#include "weft/kernels/blocks.h"
#include "weft/kernels/box_loss.h"
#include "weft/kernels/cpu/instructions.h"
#include "weft/kernels/cpu/products/gemm_part.h"
#include "weft/kernels/crf.h"
#include "weft/kernels/dropout.h"
#include "weft/kernels/elementwise.h"
#include "weft/kernels/embedding.h"
#include "weft/kernels/gemm.h"
#include "weft/kernels/linear_attention.h"
#include "weft/kernels/loss.h"
#include "weft/kernels/max_rows.h"
#include "weft/kernels/norm.h"
#include "weft/kernels/packed.h"
#include "weft/kernels/recurrent.h"
#include "weft/kernels/reduce.h"
#include "weft/kernels/score_function.h"
#include "weft/kernels/sgd.h"
#include "weft/kernels/softmax.h"
#include "weft/kernels/unlikelihood.h"

namespace weft::kernels {
namespace {

// The name of the call, which defaults to the kernel's name.
template <class K>
std::string_view name_of(const K& call) {
  if constexpr (requires { call.name(); }) {
    return call.name();
  } else {
    return K::kName;
  }
}

// While it exists, a call is running, which the thread's profile, if any, records.
class RunningCall {
 public:
  template <class K>
  explicit RunningCall(const K& call) {
    if (!profile::is_on()) return;
    const Cost cost = call.cost();
    span_.emplace(name_of(call), cost.flop, cost.bytes);
  }

 private:
  std::optional<profile::Span> span_;
};

struct Reference {
  static constexpr std::string_view kName = "ref";
  static bool is_fast_in(DType type) { return type == DType::kF32 || type == DType::kF64; }
  template <class K>
  static void run(const K& call) {
    const RunningCall running(call);
    ref::run(call);
  }
};

struct Cpu {
  static constexpr std::string_view kName = "cpu";
  static bool is_fast_in(DType type) {
    return type == DType::kF32 || (type == DType::kBF16 && cpu::multiplies_bf16());
  }
  template <class K>
  static void run(const K& call) {
    const RunningCall running(call);
    if constexpr (requires { cpu::run(call); }) {
      cpu::run(call);
    } else {
      ref::run(call);
    }
  }
};

}  // namespace

const Backend& ref_backend() {
  static constexpr Backend kBackend{Reference()};
  return kBackend;
}

const Backend& cpu_backend() {
  static constexpr Backend kBackend{Cpu()};
  return kBackend;
}

const Backend& backend_named(std::string_view name) {
  if (name == "cpu") return cpu_backend();
  if (name == "ref") return ref_backend();
  fail<OptionError>("WEFT_BACKEND", "unknown backend; expected cpu or ref, got \"{}\"", name);
}

const Backend& default_backend() {
  static const Backend& selected = []() -> const Backend& {
    if (const char* set = std::getenv("WEFT_MAX_CPU_ISA")) cpu::limit_instructions(set);
    const char* name = std::getenv("WEFT_BACKEND");
    return backend_named(name ? name : "cpu");
  }();
  return selected;
}

}  // namespace weft::kernels
