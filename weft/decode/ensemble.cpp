#include "weft/decode/ensemble.h"

namespace weft::decode {

Tensor Ensemble::operator()(const Step& step) {
  Tensor sum;
  Step own = step;
  for (Member& member : members_) {
    Tensor scores = member.model(own);
    own.attention = nullptr;
    const auto& backend = backend_of(scores);
    backend.log_softmax(scores, scores);
    if (!sum) {
      backend.scale(member.weight, scores, scores);
      sum = std::move(scores);
      continue;
    }
    if (scores.cols() != sum.cols()) {
      fail<ShapeError>("ensemble", "models with vocabularies of {} and {}; expected one size",
                       sum.cols(), scores.cols());
    }
    backend.accumulate(member.weight, scores, sum);
  }
  return sum;
}

}  // namespace weft::decode
