// Score functions on rows of F32 or BF16.
#ifndef WEFT_KERNELS_CPU_SCORE_FUNCTION_H_
#define WEFT_KERNELS_CPU_SCORE_FUNCTION_H_

#include "weft/kernels/backend.h"

namespace weft::kernels::cpu {

// Backend::score_weights and Backend::d_score_weights; they serve the composite twin of attention,
// where nothing is hot.
void score_weights(ScoreFunction function, View s, View p);
void d_score_weights(ScoreFunction function, View s, View p, View d_p, View d_s);

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_SCORE_FUNCTION_H_
