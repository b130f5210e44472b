// Sums over paths are products of vectors with the matrix exp(transitions), with each vector scaled
// to sum 1. This needs no exponential or logarithm per label pair. Sequences whose values leave the
// range in which this is exact are computed by the reference in log space.
#include "weft/kernels/ref/crf.h"

#include <algorithm>
#include <cmath>

#include "weft/core/parallel.h"
#include "weft/kernels/cpu/crf_products.h"

namespace weft::kernels::cpu {
namespace {

using ref::CrfModel;
using ref::CrfRows;

// Values below kSmall may underflow in the next product and count as lost. The bound on the lost
// fraction grows with each division by a sum; up to kMaxLost no digit of a double changes. A
// quotient above kMaxQuotient may overflow in the next product.
constexpr double kSmall = 1e-200, kMaxLost = 1e-20, kMaxQuotient = 1e150;

// A copy of `scores` [rows, C] with rows padded by `padding`.
CrfMatrix padded(const std::vector<double>& scores, int64_t labels, double padding) {
  CrfMatrix out(std::ssize(scores) / labels, labels, padding);
  for (int64_t i = 0; i < out.rows; ++i) {
    std::copy_n(scores.data() + i * labels, labels, out.row(i));
  }
  return out;
}

CrfMatrix transposed(const CrfMatrix& m) {
  CrfMatrix out(m.rows, m.rows, 0);
  for (int64_t i = 0; i < m.rows; ++i) {
    for (int64_t j = 0; j < m.rows; ++j) out.row(j)[i] = m.row(i)[j];
  }
  return out;
}

// exp(score - max).
struct Exponentials {
  double top = 0;
  CrfMatrix values;

  Exponentials(std::vector<double> scores, int64_t labels)
      : top(*std::ranges::max_element(scores)) {
    for (double& x : scores) x = std::exp(x - top);
    values = padded(scores, labels, 0);
  }
};

// Whether the range of allowed scores is small enough for exponentials.
bool is_narrow(const std::vector<double>& scores) {
  constexpr double kMaxRange = 200;  // nats
  double low = -ref::kNever, high = ref::kNever;
  for (const double x : scores) {
    if (x == ref::kNever) continue;
    low = std::min(low, x);
    high = std::max(high, x);
  }
  return std::isfinite(low) && std::isfinite(high) && high - low <= kMaxRange;
}

struct ScaledModel {
  CrfModel logs;
  Exponentials transitions, start, end;
  CrfMatrix back;  // transitions from each label's successor
  bool is_usable;

  explicit ScaledModel(const CrfScores& scores)
      : logs(ref::crf_model(scores)),
        transitions(logs.transitions, logs.labels),
        start(logs.start, logs.labels),
        end(logs.end, logs.labels),
        back(transposed(transitions.values)),
        is_usable(is_narrow(logs.transitions) && is_narrow(logs.start) && is_narrow(logs.end)) {}
  int64_t labels() const { return logs.labels; }
};

// The forward pass over one sequence. For each row: the label probabilities given the rows up to
// it, exp(emission - max), and the scaling divisor.
struct Forward {
  CrfMatrix alpha, emissions;  // [T, C]
  std::vector<double> sums;    // [T + 1], the last one of the end
  double log_partition = 0;
  bool is_exact = false;  // if false, the other members may be incomplete
};

// x *= factors, both [C], then x /= sum(x). Adds the underflow bound to `lost`; returns false if it
// is too large.
bool scale(double* x, const double* factors, int64_t count, double& sum, double& lost) {
  for (int64_t c = 0; c < count; ++c) {
    const bool is_there = x[c] > 0;
    x[c] *= factors[c];
    if (is_there && x[c] < kSmall) lost += kSmall;
    sum += x[c];
  }
  lost /= sum;
  if (!(lost <= kMaxLost && std::isfinite(sum))) return false;
  for (int64_t c = 0; c < count; ++c) x[c] /= sum;
  return true;
}

Forward forward(const ScaledModel& model, const CrfRows& rows) {
  const int64_t count = model.labels();
  Forward out;
  if (!model.is_usable || rows.count == 0) return out;
  out.alpha = out.emissions = CrfMatrix(rows.count, count, 0);
  out.sums.resize(static_cast<size_t>(rows.count) + 1);
  double lost = 0;
  for (int64_t t = 0; t < rows.count; ++t) {
    double *alpha = out.alpha.row(t), *emissions = out.emissions.row(t);
    const double* scores = rows.scores.data() + t * count;
    const double top = *std::max_element(scores, scores + count);
    for (int64_t c = 0; c < count; ++c) emissions[c] = std::exp(scores[c] - top);
    if (t == 0) {
      std::copy_n(model.start.values.row(0), count, alpha);
    } else {
      crf_multiply(out.alpha.row(t - 1), model.transitions.values, alpha);
    }
    if (!scale(alpha, emissions, count, out.sums[t], lost)) return out;
    out.log_partition +=
        top + (t == 0 ? model.start.top : model.transitions.top) + std::log(out.sums[t]);
  }
  const double *last = out.alpha.row(rows.count - 1), *end = model.end.values.row(0);
  double& sum = out.sums.back();
  for (int64_t c = 0; c < count; ++c) sum += last[c] * end[c];
  out.log_partition += model.end.top + std::log(sum);
  out.is_exact = lost / sum <= kMaxLost && std::isfinite(out.log_partition);
  return out;
}

double log_partition(const ScaledModel& model, const CrfRows& rows) {
  const Forward pass = forward(model, rows);
  if (pass.is_exact) return pass.log_partition;
  return ref::crf_log_partition(model.logs, ref::crf_alpha(model.logs, rows));
}

// The backward pass: values [T, C] = exp(emission) * beta / sum, such that
//   P(from at t - 1, to at t) = alpha[t - 1, from] * exp(transition - top) * values[t, to].
struct Backward {
  CrfMatrix values;                   // row 0 is unused
  std::vector<double> probabilities;  // [T, C] marginals, without padding
  bool is_exact = true;
};

Backward backward(const ScaledModel& model, const Forward& pass) {
  const int64_t count = model.labels(), rows = pass.alpha.rows;
  Backward out{CrfMatrix(rows, count, 0), std::vector<double>(static_cast<size_t>(rows * count))};
  CrfMatrix beta = model.end.values;
  for (double& x : beta.values) x /= pass.sums.back();
  for (int64_t t = rows - 1; t >= 0; --t) {
    double* values = out.values.row(t);
    const double *emissions = pass.emissions.row(t), *alpha = pass.alpha.row(t);
    for (int64_t c = 0; c < count; ++c) {
      out.probabilities[t * count + c] = alpha[c] * beta.row(0)[c];
      values[c] = emissions[c] * beta.row(0)[c] / pass.sums[t];
      if (!(values[c] <= kMaxQuotient)) out.is_exact = false;
    }
    if (!out.is_exact) return out;
    if (t > 0) crf_multiply(values, model.back, beta.row(0));
  }
  return out;
}

// The shared gradients of a range of sequences. Those of transitions are `outer`, sums of outer
// products, times exp(transitions), plus `direct`.
struct Part {
  CrfMatrix outer;
  ref::CrfSharedGradient direct;

  explicit Part(int64_t labels) : outer(labels, labels, 0), direct(labels) {}
};

struct Expectation {
  std::vector<double> labels;  // [T, C] probabilities
  double log_partition;
};

// Of one sequence, whose expected transitions are added to `part` unless it is null.
Expectation expectation(const ScaledModel& model, const CrfRows& rows, Part* part) {
  const Forward pass = forward(model, rows);
  if (pass.is_exact) {
    Backward back = backward(model, pass);
    if (back.is_exact) {
      if (part != nullptr) crf_add_products(pass.alpha, back.values, part->outer);
      return {std::move(back.probabilities), pass.log_partition};
    }
  }
  ref::CrfExpectation expected = ref::crf_expectation(model.logs, rows);
  for (size_t i = 0; part != nullptr && i < expected.transitions.size(); ++i) {
    part->direct.transitions[i] += expected.transitions[i];
  }
  return {std::move(expected.labels),
          ref::crf_log_partition(model.logs, ref::crf_alpha(model.logs, rows))};
}

// Calls body(b, part) for each sequence, in parallel, and returns the sum of the parts.
template <class Body>
ref::CrfSharedGradient sum_over_sentences(const ScaledModel& model, int64_t sequences,
                                          const Body& body) {
  // The number of parts does not depend on the number of threads; their sums are added in order.
  constexpr int64_t kParts = 16;
  const int64_t count = model.labels(), parts = std::min(kParts, sequences);
  std::vector<Part> sums(static_cast<size_t>(parts), Part(count));
  parallel_for(parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      for (int64_t b = p * sequences / parts; b < (p + 1) * sequences / parts; ++b) {
        body(b, sums[p]);
      }
    }
  });
  ref::CrfSharedGradient total(count);
  for (const Part& part : sums) {
    for (int64_t c = 0; c < count; ++c) {
      const double *outer = part.outer.row(c), *factors = model.transitions.values.row(c);
      for (int64_t to = 0; to < count; ++to) {
        total.transitions[c * count + to] +=
            outer[to] * factors[to] + part.direct.transitions[c * count + to];
      }
      total.start[c] += part.direct.start[c];
      total.end[c] += part.direct.end[c];
    }
  }
  return total;
}

void add_sentence(const ScaledModel& model, const CrfBackward& call, int64_t sequence, Part& part) {
  const CrfRows rows = ref::crf_rows(call.scores, sequence);
  const auto labels = ref::crf_labels(call.scores, call.labels, sequence);
  if (rows.count == 0 || ref::crf_path_score(model.logs, rows, labels) == ref::kNever) {
    ref::store_emission_gradient(call, sequence, nullptr);
    return;
  }
  part.direct.subtract_transitions(labels);
  const Expectation expected = expectation(model, rows, &part);
  ref::store_emission_gradient(call, sequence, &expected.labels);
  part.direct.add_ends(expected.labels, labels);
}

// Bit-identical to ref::crf_best_path.
double best_path(const CrfMatrix& transitions, const CrfModel& model, const CrfRows& rows,
                 int32_t* labels) {
  if (rows.count == 0) return 0;
  const int64_t count = model.labels, stride = transitions.stride;
  std::vector<int32_t> from_label(static_cast<size_t>(rows.count * stride));
  CrfMatrix steps(2, count, 0);
  double *before = steps.row(0), *best = steps.row(1);
  std::ranges::copy(model.start, best);
  for (int64_t t = 0; t < rows.count; ++t) {
    if (t > 0) {
      std::swap(before, best);
      crf_max_plus(before, transitions, best, from_label.data() + t * stride);
    }
    for (int64_t c = 0; c < count; ++c) best[c] += rows.scores[t * count + c];
  }
  for (int64_t c = 0; c < count; ++c) best[c] += model.end[c];
  const double* last = std::max_element(best, best + count);
  labels[rows.count - 1] = static_cast<int32_t>(last - best);
  for (int64_t t = rows.count - 1; t > 0; --t) {
    labels[t - 1] = from_label[t * stride + labels[t]];
  }
  return *last;
}

// Calls body(b) for each sequence, in parallel.
template <class Body>
void for_each_sentence(const CrfScores& scores, const Body& body) {
  parallel_for(scores.sequences(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) body(b);
  });
}

}  // namespace

void run(const Crf& call) {
  const ScaledModel model(call.scores);
  for_each_sentence(call.scores, [&](int64_t b) {
    const CrfRows rows = ref::crf_rows(call.scores, b);
    const double path =
        ref::crf_path_score(model.logs, rows, ref::crf_labels(call.scores, call.labels, b));
    call.loss[b] = ref::crf_loss(log_partition(model, rows), path);
  });
}

void run(const CrfBackward& call) {
  const ScaledModel model(call.scores);
  sum_over_sentences(model, call.scores.sequences(), [&](int64_t b, Part& part) {
    add_sentence(model, call, b, part);
  }).add_to(call);
}

void run(const CrfMarginals& call) {
  const ScaledModel model(call.scores);
  const auto write = [&](int64_t b, Part* part) {
    const CrfRows rows = ref::crf_rows(call.scores, b);
    const Expectation expected = expectation(model, rows, part);
    if (call.log_partition != nullptr) call.log_partition[b] = expected.log_partition;
    for (int64_t t = 0; t < rows.count; ++t) {
      ref::store_row(call.marginals, call.scores.offsets[b] + t,
                     expected.labels.data() + t * model.labels());
    }
  };
  if (!call.transitions) {
    return for_each_sentence(call.scores, [&](int64_t b) { write(b, nullptr); });
  }
  const auto write_and_add = [&](int64_t b, Part& part) { write(b, &part); };
  const ref::CrfSharedGradient sums =
      sum_over_sentences(model, call.scores.sequences(), write_and_add);
  ref::add_all(call.transitions, sums.transitions, 1);
}

void run(const CrfDecode& call) {
  const CrfModel model = ref::crf_model(call.scores);
  const CrfMatrix transitions = padded(model.transitions, model.labels, ref::kNever);
  for_each_sentence(call.scores, [&](int64_t b) {
    const double score = best_path(transitions, model, ref::crf_rows(call.scores, b),
                                   call.labels + call.scores.offsets[b]);
    if (call.path_score != nullptr) call.path_score[b] = score;
  });
}

}  // namespace weft::kernels::cpu
