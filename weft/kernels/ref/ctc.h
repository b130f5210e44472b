// Reference connectionist temporal classification, in double logarithms.
#ifndef WEFT_KERNELS_REF_CTC_H_
#define WEFT_KERNELS_REF_CTC_H_

#include <cmath>
#include <limits>
#include <vector>

#include "weft/kernels/backend.h"

namespace weft::kernels::ref {

inline double log_add(double a, double b) {
  if (a < b) std::swap(a, b);
  return b == -std::numeric_limits<double>::infinity() ? a : a + std::log1p(std::exp(b - a));
}

// The states of a sentence's paths: its labels with a blank before, between and after them.
struct CtcStates {
  std::span<const int32_t> labels;
  int32_t blank;

  int64_t count() const { return 2 * std::ssize(labels) + 1; }
  int32_t symbol(int64_t s) const { return s % 2 == 0 ? blank : labels[s / 2]; }
  // Whether a path may go from s - 2 to s, past a blank.
  bool may_skip_to(int64_t s) const {
    return s >= 2 && s % 2 == 1 && labels[s / 2] != labels[s / 2 - 1];
  }
};

struct CtcPaths {
  std::vector<double>
      alpha;     // [T, S] log of all ways to be in a state at a row, its symbol included
  double total;  // of all paths that read as the labels
};

template <class T>
CtcPaths ctc_forward(const CtcStates& states, Matrix<T> log_p) {
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  const int64_t count = states.count();
  std::vector<double> alpha(static_cast<size_t>(log_p.rows * count), kNever);
  for (int64_t t = 0; t < log_p.rows; ++t) {
    double* now = alpha.data() + t * count;
    const double* before = now - count;
    for (int64_t s = 0; s < count; ++s) {
      double sum = t == 0 && s < 2 ? 0 : kNever;
      if (t > 0) sum = before[s];
      if (t > 0 && s > 0) sum = log_add(sum, before[s - 1]);
      if (t > 0 && states.may_skip_to(s)) sum = log_add(sum, before[s - 2]);
      now[s] = sum + log_p.row(t)[states.symbol(s)];
    }
  }
  if (log_p.rows == 0) return {alpha, count == 1 ? 0 : kNever};
  const double last = alpha.back();
  const double total = count > 1 ? log_add(last, alpha[alpha.size() - 2]) : last;
  return {std::move(alpha), total};
}

// Adds to d [T, V] -weight times the probability of each symbol at each row, given the labels.
template <class T>
void ctc_backward(const CtcStates& states, Matrix<T> log_p, const CtcPaths& paths, double weight,
                  Matrix<T> d) {
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  const int64_t count = states.count();
  std::vector<double> beta(static_cast<size_t>(count), kNever), next(beta);
  for (int64_t t = log_p.rows - 1; t >= 0; --t) {
    for (int64_t s = 0; s < count; ++s) {
      if (t == log_p.rows - 1) {
        beta[s] = s >= count - 2 ? 0 : kNever;
        continue;
      }
      const auto go = [&](int64_t to) { return next[to] + log_p.row(t + 1)[states.symbol(to)]; };
      beta[s] = go(s);
      if (s + 1 < count) beta[s] = log_add(beta[s], go(s + 1));
      if (s + 2 < count && states.may_skip_to(s + 2)) beta[s] = log_add(beta[s], go(s + 2));
    }
    for (int64_t s = 0; s < count; ++s) {
      d.row(t)[states.symbol(s)] -=
          static_cast<T>(weight * std::exp(paths.alpha[t * count + s] + beta[s] - paths.total));
    }
    next = beta;
  }
}

template <class T>
void ctc_sentence(const Ctc& c, size_t b) {
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  const Matrix<T> log_p = c.log_p.as<T>().range(c.offsets[b], c.offsets[b + 1]);
  const CtcStates states{{c.labels + c.label_offsets[b], c.labels + c.label_offsets[b + 1]},
                         c.blank};
  const CtcPaths paths = ctc_forward(states, log_p);
  c.loss[b] = -paths.total;
  if (!c.d_log_p) return;
  const Matrix<T> d = c.d_log_p.as<T>().range(c.offsets[b], c.offsets[b + 1]);
  for (int64_t t = 0; t < d.rows; ++t) std::fill_n(d.row(t), d.cols, T{0});
  if (paths.total != kNever) ctc_backward(states, log_p, paths, c.weight, d);
}

}  // namespace weft::kernels::ref

#endif  // WEFT_KERNELS_REF_CTC_H_
