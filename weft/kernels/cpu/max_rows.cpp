#include "weft/kernels/ref/max_rows.h"

#include "weft/core/parallel.h"

namespace weft::kernels::cpu {
namespace {

constexpr int64_t kGrain = 16;  // sequences worth waking a thread for

}  // namespace

void run(const MaxRows& call) {
  parallel_for(std::ssize(call.offsets) - 1, kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) ref::max_rows(call, b);
  });
}

void run(const MaxRowsBackward& call) {
  parallel_for(std::ssize(call.offsets) - 1, kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) ref::max_rows_backward(call, b);
  });
}

}  // namespace weft::kernels::cpu
