// What running values that no gradient changes take from one pass in training: those of batch norms
// and of clusters.
#ifndef WEFT_NN_STATISTICS_H_
#define WEFT_NN_STATISTICS_H_

#include <functional>
#include <span>
#include <vector>

#include "weft/nn/parameters.h"

namespace weft::nn {

struct BatchStatistics {
  std::vector<const Parameter*> running;  // parameters that are statistics
  // Changes their values, given as F32 in this order, by what the pass saw.
  std::function<void(std::span<const Tensor> running)> update;
};

}  // namespace weft::nn

#endif  // WEFT_NN_STATISTICS_H_
