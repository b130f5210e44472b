// What a pass in training saw for buffers: values that are kept with the parameters and that no
// gradient changes, as the running statistics of batch norms and the centroids of clusters.
#ifndef WEFT_NN_STATISTICS_H_
#define WEFT_NN_STATISTICS_H_

#include <functional>
#include <span>
#include <vector>

#include "weft/nn/parameters.h"

namespace weft::nn {

struct RunningStatistics {
  std::vector<const Parameter*> buffers;
  // Updates the buffers' values, given as F32 in this order, by what the pass saw.
  std::function<void(std::span<const Tensor> values)> update;
};

}  // namespace weft::nn

#endif  // WEFT_NN_STATISTICS_H_
