// The parts of a model, such as its layers, and statistics of each.
#ifndef WEFT_TRAIN_RECORDS_PARTS_H_
#define WEFT_TRAIN_RECORDS_PARTS_H_

#include <string>
#include <vector>

#include "weft/nn/parameters.h"
#include "weft/train/parameter_ranges.h"

namespace weft::train {

// The trained parameters of a layer, "model.encoder.layers.0", or of a module outside layers,
// "model.shared".
struct Part {
  std::string name;
  std::vector<Range> ranges;  // of the flat buffer
};

// "model.encoder.layers.0.fc1.weight" -> "model.encoder.layers.0"; "lm_head.weight" -> "lm_head".
std::string part_name(const std::string& parameter);

// In the order of their first parameters. Frozen parameters and buffers belong to no part.
std::vector<Part> parts_of(const std::vector<nn::NamedParameter>& parameters);

// The L2 norm of a part of a flat buffer [P].
double norm_of(const Part& part, const Tensor& flat);

// Finite values, counted in bins.
struct Histogram {
  int64_t count = 0;
  double min = 0, max = 0;
  double sum = 0, sum_of_squares = 0;
  std::vector<double> limits;  // the upper limit of each bin; the last one is max
  std::vector<double> counts;  // in each bin
};

// With bins of equal width. `flat` is [P], in F32.
Histogram histogram_of(const Part& part, const Tensor& flat);

}  // namespace weft::train

#endif  // WEFT_TRAIN_RECORDS_PARTS_H_
