#include "weft/train/optim/optimizer.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "weft/core/error.h"
#include "weft/kernels/backend.h"

namespace weft::train {
namespace {

int64_t size_of_all(const std::vector<TrainedRange>& ranges) {
  int64_t size = 0;
  for (const TrainedRange& one : ranges) size += one.range.size();
  return size;
}

// Copies n numbers, but for pages that are equal: zeros that were never written take no memory.
void copy_changed(const float* from, int64_t n, float* to) {
  constexpr int64_t kPage = 1024;  // numbers
  for (int64_t i = 0; i < n; i += kPage) {
    const size_t bytes = static_cast<size_t>(std::min(kPage, n - i)) * sizeof(float);
    if (std::memcmp(to + i, from + i, bytes) != 0) std::memcpy(to + i, from + i, bytes);
  }
}

}  // namespace

void OptimizerOptions::validate() const {
  kind.visit([](const auto& chosen) {
    if constexpr (requires { chosen.validate(); }) chosen.validate();
  });
  if (average_share > 0 && exponential_smoothing > 0) {
    fail<OptionError>("--average-share",
                      "contradicts --exponential-smoothing; expected one of them");
  }
}

RangeOptions OptimizerOptions::ranges() const {
  const bool decays_all = kind.visit([](const auto& chosen) {
    if constexpr (requires { chosen.decay; }) return chosen.decay.decays_all();
    return true;  // none decays
  });
  return {.decays_all = decays_all,
          .rate_factors = rate_factors,
          .layer_decay = layer_decay,
          .head_factor = head_rate_factor};
}

double OptimizerOptions::smoothing_of_one(int64_t update) const {
  if (average_share == 0) return exponential_smoothing;
  return 1 / std::max(1.0, average_share * static_cast<double>(update));
}

bool OptimizerOptions::moves_average(int64_t update) const {
  constexpr int64_t kMovesPerWindow = 8, kMostUpdates = 8;
  const auto window = static_cast<int64_t>(1 / smoothing_of_one(update));
  const auto updates = static_cast<int64_t>(
      std::bit_floor(static_cast<uint64_t>(std::max<int64_t>(window / kMovesPerWindow, 1))));
  return update % std::min(updates, kMostUpdates) == 0;
}

double OptimizerOptions::smoothing(int64_t update) const {
  if (!moves_average(update)) return 0;
  double kept = 1 - smoothing_of_one(update);
  for (int64_t i = update - 1; i > 0 && !moves_average(i); --i) kept *= 1 - smoothing_of_one(i);
  return 1 - kept;
}

Optimizer::Optimizer(const OptimizerOptions& options, const Tensor& parameters,
                     std::vector<TrainedRange> trained, const Tensor& rounded)
    : options_(options), trained_(std::move(trained)), parameters_(parameters), rounded_(rounded) {
  options_.validate();
  if (trained_.empty()) trained_ = {{.range = {0, parameters.size()}}};
  const size_t count = options_.kind.visit([](const auto& kind) { return kind.kMoments.size(); });
  for (size_t i = 0; i < count; ++i) {
    moments_.push_back(Tensor::zeros_on_demand({size_of_all(trained_)}));
  }
  if (options.averages()) ema_ = parameters.clone();
}

void Optimizer::step(const Tensor& gradient, double gradient_scale, double learn_rate) {
  ++steps;
  const double smoothing = ema_ ? options_.smoothing(steps) : 0;
  int64_t first = 0;  // of the range, among the trained parameters
  for (const TrainedRange& part : trained_) {
    const int64_t begin = part.range.begin;
    ParameterSlice slice{.weights = parameters_.data<float>() + begin,
                         .gradient = gradient.data<float>() + begin,
                         .moments = {},
                         .ema = smoothing > 0 ? ema_.data<float>() + begin : nullptr,
                         .rounded = rounded_ ? rounded_.data<BF16>() + begin : nullptr,
                         .n = part.range.size(),
                         .decays = part.decays};
    for (size_t i = 0; i < moments_.size(); ++i) {
      slice.moments[i] = moments_[i].data<float>() + first;
    }
    first += slice.n;
    const UpdateStep update{.number = steps,
                            .gradient_scale = gradient_scale,
                            .learn_rate = learn_rate * part.rate_factor,
                            .ema_decay = 1 - smoothing,
                            .backend = backend_of(parameters_)};
    options_.kind.visit([&](const auto& kind) { kind.update(slice, update); });
  }
}

std::vector<Optimizer::Moment> Optimizer::moments() const {
  std::vector<Moment> out;
  options_.kind.visit([&](const auto& kind) {
    for (size_t i = 0; i < moments_.size(); ++i) out.push_back({kind.kMoments[i], moments_[i]});
  });
  return out;
}

void Optimizer::restore(const Moment& moment, const Tensor& values) const {
  const bool is_of_all = values.size() == parameters_.size();
  if (!is_of_all && values.size() != moment.values.size()) {
    fail<ShapeError>(moment.name, "expected {} numbers, got {}", moment.values.size(),
                     values.size());
  }
  auto* to = moment.values.data<float>();
  int64_t first = 0;
  for (const auto& [range, decays, factor] : trained_) {
    copy_changed(values.data<float>() + (is_of_all ? range.begin : first), range.size(),
                 to + first);
    first += range.size();
  }
}

}  // namespace weft::train
