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
    Tensor logits = model.decoder.logits(states.row_range(begin, end), context);  // [n, V]
    if (logits.dtype() == DType::kBF16) logits = logits.to(DType::kF32);
    backend_of(logits)(kernels::RowArgmax{.x = logits, .index = out.data() + begin});
  }
  return out;
}

double draw(PhiloxKey key, int32_t sentence, int32_t position) {
  const PhiloxCounter words = philox(
      {nn::kSamplingStream, static_cast<uint32_t>(sentence), static_cast<uint32_t>(position), 0},
      key);
  return words[0] / 4294967296.0;
}

void check_rate(bool fits, std::string_view kind, double rate, const char* expected) {
  if (fits) return;
  fail<OptionError>("--scheduled-sampling-rate", "{} for {}; expected {}", rate, kind, expected);
}

}  // namespace

double LinearDecay::true_fraction(int64_t i) const {
  return std::max(floor, 1 - rate * static_cast<double>(i));
}
double ExponentialDecay::true_fraction(int64_t i) const {
  return std::max(floor, std::pow(rate, static_cast<double>(i)));
}
double InverseSigmoidDecay::true_fraction(int64_t i) const {
  return std::max(floor, rate / (rate + std::exp(static_cast<double>(i) / rate)));
}

void LinearDecay::check() const {
  check_rate(rate > 0 && rate < 1, kName, rate, "more than 0, below 1");
}
void ExponentialDecay::check() const {
  check_rate(rate > 0 && rate < 1, kName, rate, "more than 0, below 1");
}
void InverseSigmoidDecay::check() const { check_rate(rate >= 1, kName, rate, "1 or more"); }

void ScheduledSamplingOptions::validate() const {
  decay.visit([](const auto& kind) {
    if constexpr (requires { kind.check(); }) kind.check();
  });
}

ScheduledSampling::ScheduledSampling(const ScheduledSamplingOptions& o) : options_(o) {
  o.validate();
}

double ScheduledSampling::true_fraction(int64_t update) const {
  return options_.decay.visit([&](const auto& kind) { return kind.true_fraction(update); });
}

Tensor ScheduledSampling::states(const models::Seq2Seq& model, const data::Batch& batch,
                                 int64_t update, const nn::Context& context) const {
  const data::Tokens& target = batch.target();
  const nn::Memory memory = model.encode(batch.source(), context);
  const ops::LayoutPtr rows = ops::make_layout(target.segments);
  std::vector<int32_t> inputs =
      models::shift_right(target, static_cast<int32_t>(model.dims.begin_id));
  const double fraction = true_fraction(update);
  if (fraction < 1) {
    nn::Context inference;
    const std::vector<int32_t> predicted =
        predictions(model, model.decoder.forward({ops::make_ids(inputs), rows}, memory, inference));
    for (size_t n = 0; n < inputs.size(); ++n) {
      if (rows->position[n] == 0) continue;
      const double u = draw(context.key, rows->sequence[n], rows->position[n]);
      if (u >= fraction) inputs[n] = predicted[n - 1];
    }
  }
  return model.decoder.forward({ops::make_ids(std::move(inputs)), rows}, memory, context);
}

}  // namespace weft::tasks
