#include "weft/tasks/translation/objective/scheduled_sampling.h"

#include <cmath>

#include "weft/kernels/backend.h"
#include "weft/kernels/reduce.h"

namespace weft::tasks {
namespace {

// The most probable next token for each row of states [N, D].
std::vector<int32_t> predictions(const models::Seq2Seq& model, const Tensor& states) {
  constexpr int64_t kChunkRows = 512;
  std::vector<int32_t> out(static_cast<size_t>(states.rows()));
  for (int64_t begin = 0; begin < states.rows(); begin += kChunkRows) {
    nn::Context context;
    const int64_t end = std::min(begin + kChunkRows, states.rows());
    Tensor logits = model.logits(states.row_range(begin, end), context);  // [n, V]
    if (logits.dtype() == DType::kBF16) logits = logits.to(DType::kF32);
    backend_of(logits)(kernels::RowArgmax{.x = logits, .index = out.data() + begin});
  }
  return out;
}

double draw(PhiloxKey key, int32_t sentence, int32_t position) {
  const PhiloxCounter words = philox(
      {nn::kSamplingSite, static_cast<uint32_t>(sentence), static_cast<uint32_t>(position), 0},
      key);
  return words[0] / 4294967296.0;
}

}  // namespace

double LinearDecay::true_fraction(int64_t i) const { return 1 - step * static_cast<double>(i); }
double ExponentialDecay::true_fraction(int64_t i) const {
  return std::pow(base, static_cast<double>(i));
}
double InverseSigmoidDecay::true_fraction(int64_t i) const {
  return k / (k + std::exp(static_cast<double>(i) / k));
}

void ScheduledSamplingOptions::validate() const {
  if (!is_on()) {
    if (rate == 0 && floor == 0) return;
    fail<OptionError>(rate != 0 ? "--scheduled-sampling-rate" : "--scheduled-sampling-floor",
                      "needs --scheduled-sampling linear, exponential or inverse-sigmoid");
  }
  const bool is_sigmoid = scheduled_sampling == "inverse-sigmoid";
  const bool fits = is_sigmoid ? rate >= 1 : rate > 0 && rate < 1;
  if (!fits) {
    fail<OptionError>("--scheduled-sampling-rate", "{} for {}; expected {}", rate,
                      scheduled_sampling, is_sigmoid ? "1 or more" : "more than 0, below 1");
  }
}

ScheduledSampling::ScheduledSampling(const ScheduledSamplingOptions& o) : floor_(o.floor) {
  o.validate();
  if (o.scheduled_sampling == "linear") {
    decay_ = LinearDecay{o.rate};
  } else if (o.scheduled_sampling == "exponential") {
    decay_ = ExponentialDecay{o.rate};
  } else if (o.scheduled_sampling == "inverse-sigmoid") {
    decay_ = InverseSigmoidDecay{o.rate};
  } else {
    fail<OptionError>("scheduled-sampling",
                      "expected linear, exponential or inverse-sigmoid, got '{}'",
                      o.scheduled_sampling);
  }
}

double ScheduledSampling::true_fraction(int64_t update) const {
  return std::max(floor_,
                  std::visit([&](const auto& d) { return d.true_fraction(update); }, decay_));
}

Tensor ScheduledSampling::states(const models::Seq2Seq& model, const data::Batch& batch,
                                 int64_t update, const nn::Context& context) const {
  const data::Tokens& target = batch.target();
  const nn::Memory memory = model.encode(batch.source(), context);
  const ops::RowsPtr rows = ops::make_rows(target.segments);
  std::vector<int32_t> inputs =
      models::shift_right(target, static_cast<int32_t>(model.sizes.begin_id));
  const double fraction = true_fraction(update);
  if (fraction < 1) {
    nn::Context inference;
    const std::vector<int32_t> predicted =
        predictions(model, model.decode(ops::make_ids(inputs), rows, memory, inference));
    for (size_t n = 0; n < inputs.size(); ++n) {
      if (rows->position[n] == 0) continue;
      const double u = draw(context.key, rows->sentence[n], rows->position[n]);
      if (u >= fraction) inputs[n] = predicted[n - 1];
    }
  }
  return model.decode(ops::make_ids(std::move(inputs)), rows, memory, context);
}

}  // namespace weft::tasks
