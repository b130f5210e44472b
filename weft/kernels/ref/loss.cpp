#include "weft/kernels/loss.h"

#include <limits>
#include <utility>
#include <vector>

#include "weft/kernels/ref/elements.h"

namespace weft::kernels::ref {
namespace {

// |p - t| or its square. d_x, unless null, receives weight times its gradient:
//   d_x = p (g - sum p g) with g = (p - t) / |p - t|, or 2 (p - t).
template <class T>
T distance(bool is_squared, const std::vector<T>& p, const std::vector<T>& t, T weight, T* d_x) {
  T squares = 0, dot = 0;
  for (size_t f = 0; f < p.size(); ++f) {
    squares += (p[f] - t[f]) * (p[f] - t[f]);
    dot += p[f] * (p[f] - t[f]);
  }
  const T loss = is_squared ? squares : std::sqrt(squares);
  const T factor = is_squared ? T{2} : loss > 0 ? 1 / loss : T{0};
  for (size_t f = 0; d_x && f < p.size(); ++f) {
    d_x[f] = weight * factor * p[f] * (p[f] - t[f] - dot);
  }
  return loss;
}

// log softmax(x / T)
template <class T>
std::vector<T> log_softmax_at(const T* x, int64_t n, T temperature) {
  std::vector<T> out(x, x + n);
  for (T& v : out) v /= temperature;
  const T normaliser = log_sum_exp(out.data(), n);
  for (T& v : out) v -= normaliser;
  return out;
}

double log_add(double a, double b) {
  if (a < b) std::swap(a, b);
  return b == -std::numeric_limits<double>::infinity() ? a : a + std::log1p(std::exp(b - a));
}

// The states of the paths of a sequence: its labels with a blank before, between and after them.
struct CtcStates {
  std::span<const int32_t> labels;
  int32_t blank;

  int64_t count() const { return 2 * std::ssize(labels) + 1; }
  int32_t symbol(int64_t s) const { return s % 2 == 0 ? blank : labels[s / 2]; }
  // Whether a path may skip the blank between s - 2 and s.
  bool may_skip_to(int64_t s) const {
    return s >= 2 && s % 2 == 1 && labels[s / 2] != labels[s / 2 - 1];
  }
};

struct CtcPaths {
  std::vector<double>
      alpha;  // [T, S], log probability of all prefixes in a state at a row, including its symbol
  double total;  // log probability of the labels
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

// d [T, V] -= weight times the posterior probability of each symbol at each row, given the labels.
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

}  // namespace

double target_entropy(double smoothing, int64_t classes) {
  const auto term = [](double t) { return t > 0 ? -t * std::log(t) : 0; };
  const double rest = smoothing / static_cast<double>(classes);
  return term(1 - smoothing + rest) + static_cast<double>(classes - 1) * term(rest);
}

void run(const SoftmaxLoss& c) {
  visit(c.kName, c.x, [&]<class T>(T) {
    const auto x = c.x.as<T>(), d_x = c.d_x.as<T>();
    const T rest = static_cast<T>(c.smoothing) / static_cast<T>(x.cols);
    const T hit = 1 - static_cast<T>(c.smoothing);
    const bool is_squared = c.kind == LossKind::kSquaredEuclidean;
    std::vector<T> p(static_cast<size_t>(x.cols)), t(p.size());
    for (int64_t n = 0; n < x.rows; ++n) {
      const T weight = static_cast<T>(c.weight) * (c.row_weights ? c.row_weights[n] : T{1});
      const T normaliser = log_sum_exp(x.row(n), x.cols);
      T sum = 0;
      for (int64_t f = 0; f < x.cols; ++f) {
        sum += normaliser - x.row(n)[f];
        p[f] = std::exp(x.row(n)[f] - normaliser);
        t[f] = rest + (f == c.targets[n] ? hit : T{0});
      }
      const T nll = normaliser - x.row(n)[c.targets[n]];
      c.nll[n] = nll;
      T* d_row = d_x.data ? d_x.row(n) : nullptr;
      if (is_squared || c.kind == LossKind::kEuclidean) {
        c.loss[n] = distance(is_squared, p, t, weight, d_row);
        continue;
      }
      c.loss[n] = hit * nll + rest * sum;
      if (c.kind == LossKind::kKl) c.loss[n] -= target_entropy(c.smoothing, x.cols);
      for (int64_t f = 0; d_row && f < x.cols; ++f) d_row[f] = weight * (p[f] - t[f]);
    }
  });
}

// d_x += w (p - t) / T, d_z += w t (log t - log p - loss) / T.
void run(const Divergence& d) {
  visit(d.kName, d.x, [&]<class T>(T) {
    const auto x = d.x.as<T>(), z = d.z.as<T>(), d_x = d.d_x.as<T>(), d_z = d.d_z.as<T>();
    const auto temperature = static_cast<T>(d.temperature);
    for (int64_t n = 0; n < x.rows; ++n) {
      const auto log_p = log_softmax_at(x.row(n), x.cols, temperature);
      const auto log_t = log_softmax_at(z.row(n), x.cols, temperature);
      T loss = 0;
      for (int64_t f = 0; f < x.cols; ++f) loss += std::exp(log_t[f]) * (log_t[f] - log_p[f]);
      d.loss[n] = loss;
      const T weight =
          static_cast<T>(d.weight) * (d.row_weights ? d.row_weights[n] : T{1}) / temperature;
      for (int64_t f = 0; f < x.cols; ++f) {
        const T t = std::exp(log_t[f]);
        if (d_x.data) d_x.row(n)[f] += weight * (std::exp(log_p[f]) - t);
        if (d_z.data) d_z.row(n)[f] += weight * t * (log_t[f] - log_p[f] - loss);
      }
    }
  });
}

void run(const Ctc& c) {
  visit(c.kName, c.log_p, [&]<class T>(T) {
    for (size_t b = 0; b + 1 < c.offsets.size(); ++b) ctc_sentence<T>(c, b);
  });
}

}  // namespace weft::kernels::ref
