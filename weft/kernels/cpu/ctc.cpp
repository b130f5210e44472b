#include "weft/kernels/cpu/ctc.h"

#include "weft/core/parallel.h"
#include "weft/kernels/ref/ctc.h"

namespace weft::kernels::cpu {

// A sentence costs its rows times its labels, little beside the logits: threads share sentences.
void ctc(const Ctc& c) {
  parallel_for(std::ssize(c.offsets) - 1, 1, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) ref::ctc_sentence<float>(c, static_cast<size_t>(b));
  });
}

}  // namespace weft::kernels::cpu
