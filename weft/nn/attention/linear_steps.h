// Linear attention of prompts and steps, whose state a cache carries.
#ifndef WEFT_NN_ATTENTION_LINEAR_STEPS_H_
#define WEFT_NN_ATTENTION_LINEAR_STEPS_H_

#include "weft/nn/attention/kv_cache.h"
#include "weft/nn/context.h"

namespace weft::nn {

struct LinearSteps {
  Tensor q = {}, k = {}, v = {};  // [N, H*K], [N, H*K], [N, H*Kv]
  int64_t heads = 1;
  bool by_weight = true;

  // The outputs of the rows of a step, [N, H*Kv].
  Tensor step(KvCache& cache, const Context& context) const;
  // Those of the rows of prompts: one row of each prompt at a time, so that the bits are those of
  // steps.
  Tensor prefill(KvCache& cache, const Context& context) const;

 private:
  int64_t state_size() const {  // H * K * (Kv + 1)
    return q.cols() * (v.cols() / heads + 1);
  }
};

}  // namespace weft::nn

#endif  // WEFT_NN_ATTENTION_LINEAR_STEPS_H_
