#include "weft/ops/losses/crf_divergence.h"

#include <cmath>

#include "weft/core/error.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"

namespace weft::ops {

using autograd::Backward;
using autograd::record;

namespace {

// The scores of a field divided by the temperature, in F64.
struct ScaledField {
  Tensor emissions, transitions, start, end;

  ScaledField(const CrfField& field, double temperature)
      : emissions(scaled(field.emissions, temperature)),
        transitions(scaled(field.weights.transitions, temperature)),
        start(scaled(field.weights.start, temperature)),
        end(scaled(field.weights.end, temperature)) {}
  CrfWeights weights() const { return {transitions, start, end}; }

 private:
  static Tensor scaled(const Tensor& x, double temperature) {
    Tensor out = x.to(DType::kF64);
    out.node = autograd::kConstant;
    backend_of(out)(kernels::Scale{.alpha = 1 / temperature, .x = out, .y = out});
    return out;
  }
};

double dot(const Tensor& x, const Tensor& y) {
  const auto a = x.span<double>(), b = y.span<double>();
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// Averages over labellings, with those of the first and of the last label of each sequence.
struct Averages {
  CrfExpectation of;
  Tensor start, end;  // [1, C]

  Averages(const ScaledField& field, const LayoutPtr& rows, const AllowedTagsPtr& allowed)
      : of(crf_expectation(field.emissions, field.weights(), rows, allowed)),
        start(Tensor::zeros(field.start.shape(), DType::kF64)),
        end(Tensor::zeros(field.end.shape(), DType::kF64)) {
    const Segments& segments = rows->segments;
    const int64_t labels = of.labels.cols();
    const auto add = [&](int64_t row, const Tensor& to) {
      const auto* from = of.labels.data<double>() + row * labels;
      for (int64_t c = 0; c < labels; ++c) to.data<double>()[c] += from[c];
    };
    for (int64_t b = 0; b < segments.count(); ++b) {
      if (segments.length(b) == 0) continue;
      add(segments.begin(b), start);
      add(segments.end(b) - 1, end);
    }
  }

  // The sum over sequences of the mean score by a field, of labellings drawn from this one.
  double score_by(const ScaledField& field) const {
    return dot(of.labels, field.emissions) + dot(of.transitions, field.transitions) +
           dot(start, field.start) + dot(end, field.end);
  }
  double log_partition() const {
    double sum = 0;
    for (const double one : of.log_partitions) sum += std::isfinite(one) ? one : 0;
    return sum;
  }
};

// factor * (x - y).
Tensor difference(const Tensor& x, const Tensor& y, double factor, DType type) {
  const Tensor out = Tensor::empty(x.shape(), DType::kF64);
  const auto from = x.span<double>(), less = y.span<double>(), to = out.span<double>();
  for (size_t i = 0; i < to.size(); ++i) to[i] = factor * (from[i] - less[i]);
  return out.to(type);
}

}  // namespace

Loss crf_divergence(const CrfField& student, const CrfField& teacher, const LayoutPtr& rows,
                    const CrfDivergenceParams& params, Tape* tape) {
  const double t = params.temperature;
  if (!(t > 0)) fail<OptionError>("crf_divergence", "temperature {}; expected more than 0", t);
  const Tensor& emissions = student.emissions;
  check_shape("crf", "the teacher's emissions", teacher.emissions, emissions.rows(),
              emissions.cols());
  const ScaledField ours(student, t), theirs(teacher, t);
  const Averages taught(theirs, rows, params.allowed), own(ours, rows, params.allowed);
  Loss out;
  out.total = t * t *
              (own.log_partition() - taught.score_by(ours) - taught.log_partition() +
               taught.score_by(theirs));
  out.nll = out.total;
  out.value = Tensor::full({1, 1}, params.weight * out.total, sum_type(emissions.dtype()));
  const CrfWeights& weights = student.weights;
  record(tape, out.value, {&emissions, &weights.transitions, &weights.start, &weights.end},
         [own, taught, type = emissions.dtype(), by = params.weight * t](Backward& b) {
           const double factor = by * b.d_output().item();
           b.add(0, difference(own.of.labels, taught.of.labels, factor, type));
           const std::pair<Tensor, Tensor> shared[] = {{own.of.transitions, taught.of.transitions},
                                                       {own.start, taught.start},
                                                       {own.end, taught.end}};
           for (int i = 0; i < 3; ++i) {
             b.accumulate(i + 1, [&](const Tensor& d) {
               const Tensor x = difference(shared[i].first, shared[i].second, factor, d.dtype());
               backend_of(d)(kernels::Accumulate{.alpha = 1, .x = x, .y = d});
             });
           }
         });
  return out;
}

}  // namespace weft::ops
