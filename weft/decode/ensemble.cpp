#include "weft/decode/ensemble.h"

#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"
#include "weft/kernels/softmax.h"

namespace weft::decode {

Tensor Ensemble::operator()(const Step& step) {
  Tensor sum;
  Step own = step;
  for (Member& member : members_) {
    Tensor scores = member.model(own);
    own.attention = nullptr;
    const auto& backend = backend_of(scores);
    backend(kernels::LogSoftmax{.x = scores, .y = scores});
    if (!sum) {
      backend(kernels::Scale{.alpha = member.weight, .x = scores, .y = scores});
      sum = std::move(scores);
      continue;
    }
    if (scores.cols() != sum.cols()) {
      fail<ShapeError>("ensemble", "models with vocabularies of {} and {}; expected one size",
                       sum.cols(), scores.cols());
    }
    backend(kernels::Accumulate{.alpha = member.weight, .x = scores, .y = sum});
  }
  return sum;
}

}  // namespace weft::decode
