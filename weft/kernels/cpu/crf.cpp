// Sums over paths are products of vectors with the matrix exp(transitions), each row's vector
// scaled to the sum 1: no exponential and no logarithm for a pair of labels. A sentence whose
// numbers leave the range in which that is exact goes to the reference, which works in logarithms.
#include "weft/kernels/ref/crf.h"

#include <algorithm>
#include <cmath>

#include "weft/core/parallel.h"

namespace weft::kernels::cpu {
namespace {

using ref::CrfModel;
using ref::CrfRows;

// What is below kSmall may underflow in the next product: it counts as lost. The bound of what is
// lost, a share of all, grows with each division by a sum; up to kMostLost no digit of a double
// changes. A quotient above kMostQuotient may overflow in the next product.
constexpr double kSmall = 1e-200, kMostLost = 1e-20, kMostQuotient = 1e150;

// exp(score - the largest).
struct Exponentials {
  std::vector<double> values;
  double top = 0;

  explicit Exponentials(const std::vector<double>& scores)
      : values(scores), top(*std::ranges::max_element(scores)) {
    for (double& x : values) x = std::exp(x - top);
  }
};

// Whether the scores that are allowed differ little enough for their exponentials.
bool is_narrow(const std::vector<double>& scores) {
  constexpr double kMostApart = 200;  // nats
  double low = -ref::kNever, high = ref::kNever;
  for (const double x : scores) {
    if (x == ref::kNever) continue;
    low = std::min(low, x);
    high = std::max(high, x);
  }
  return std::isfinite(low) && std::isfinite(high) && high - low <= kMostApart;
}

struct ScaledModel {
  CrfModel logs;
  Exponentials transitions, start, end;
  bool is_usable;

  explicit ScaledModel(const CrfScores& scores)
      : logs(ref::crf_model(scores)),
        transitions(logs.transitions),
        start(logs.start),
        end(logs.end),
        is_usable(is_narrow(logs.transitions) && is_narrow(logs.start) && is_narrow(logs.end)) {}
  int64_t labels() const { return logs.labels; }
};

// y = x^T M, [C] and [C, C].
void multiply(const double* x, const std::vector<double>& matrix, double* y, int64_t count) {
  std::fill_n(y, count, 0.0);
  for (int64_t from = 0; from < count; ++from) {
    const double* row = matrix.data() + from * count;
    for (int64_t to = 0; to < count; ++to) y[to] += x[from] * row[to];
  }
}

// The forward pass over one sentence: of each row the label probabilities given the rows up to it,
// exp(emission - the largest), and what the product of both was divided by.
struct Forward {
  std::vector<double> alpha, emissions;  // [T, C]
  std::vector<double> sums;              // [T + 1], the last that of the end
  double log_partition = 0;
  bool is_exact = false;  // else the members above are not all filled in
};

// x *= factors, [C] both, then x /= its sum. Adds to `lost` what underflows; false where that is
// too much.
bool scale(double* x, const double* factors, int64_t count, double& sum, double& lost) {
  for (int64_t c = 0; c < count; ++c) {
    const bool is_there = x[c] > 0;
    x[c] *= factors[c];
    if (is_there && x[c] < kSmall) lost += kSmall;
    sum += x[c];
  }
  lost /= sum;
  if (!(lost <= kMostLost && std::isfinite(sum))) return false;
  for (int64_t c = 0; c < count; ++c) x[c] /= sum;
  return true;
}

Forward forward(const ScaledModel& model, const CrfRows& rows) {
  const int64_t count = model.labels();
  Forward out;
  if (!model.is_usable || rows.count == 0) return out;
  out.alpha.resize(rows.scores.size());
  out.emissions.resize(rows.scores.size());
  out.sums.resize(static_cast<size_t>(rows.count) + 1);
  double lost = 0;
  for (int64_t t = 0; t < rows.count; ++t) {
    double* alpha = out.alpha.data() + t * count;
    double* emissions = out.emissions.data() + t * count;
    const double* scores = rows.scores.data() + t * count;
    const double top = *std::max_element(scores, scores + count);
    for (int64_t c = 0; c < count; ++c) emissions[c] = std::exp(scores[c] - top);
    if (t == 0) {
      std::ranges::copy(model.start.values, alpha);
    } else {
      multiply(alpha - count, model.transitions.values, alpha, count);
    }
    if (!scale(alpha, emissions, count, out.sums[t], lost)) return out;
    out.log_partition +=
        top + (t == 0 ? model.start.top : model.transitions.top) + std::log(out.sums[t]);
  }
  const double* last = out.alpha.data() + (rows.count - 1) * count;
  double& sum = out.sums.back();
  for (int64_t c = 0; c < count; ++c) sum += last[c] * model.end.values[c];
  out.log_partition += model.end.top + std::log(sum);
  out.is_exact = lost / sum <= kMostLost && std::isfinite(out.log_partition);
  return out;
}

double log_partition(const ScaledModel& model, const CrfRows& rows) {
  const Forward pass = forward(model, rows);
  if (pass.is_exact) return pass.log_partition;
  return ref::crf_log_partition(model.logs, ref::crf_alpha(model.logs, rows));
}

// The backward pass: [T, C] of each row exp(emission) times what stands behind it, such that
//   P(from at t - 1, to at t) = alpha[t - 1, from] * exp(transition - top) * behind[t, to].
struct Behind {
  std::vector<double> values;         // [T, C]; row 0 is unused
  std::vector<double> probabilities;  // [T, C] of the labels
  bool is_exact = true;
};

Behind backward(const ScaledModel& model, const CrfRows& rows, const Forward& pass) {
  const int64_t count = model.labels();
  Behind out{std::vector<double>(pass.alpha.size(), 0), pass.alpha};
  std::vector<double> beta(model.end.values);
  for (double& x : beta) x /= pass.sums.back();
  for (int64_t t = rows.count - 1; t >= 0; --t) {
    double* behind = out.values.data() + t * count;
    const double* emissions = pass.emissions.data() + t * count;
    for (int64_t c = 0; c < count; ++c) {
      out.probabilities[t * count + c] *= beta[c];
      behind[c] = emissions[c] * beta[c] / pass.sums[t];
      if (!(behind[c] <= kMostQuotient)) out.is_exact = false;
    }
    if (!out.is_exact) return out;
    for (int64_t from = 0; t > 0 && from < count; ++from) {
      const double* row = model.transitions.values.data() + from * count;
      double sum = 0;
      for (int64_t to = 0; to < count; ++to) sum += row[to] * behind[to];
      beta[from] = sum;
    }
  }
  return out;
}

// What a run of sentences adds to the gradients that all share: the transitions' are `outer`, sums
// of products of vectors, times exp(transitions), and what stands in `direct`.
struct Part {
  std::vector<double> outer;
  ref::CrfSharedGradient direct;

  explicit Part(int64_t labels) : outer(static_cast<size_t>(labels * labels), 0), direct(labels) {}
};

void add_outer(const Forward& pass, const Behind& behind, int64_t count, std::vector<double>& to) {
  for (size_t row = count; row < pass.alpha.size(); row += count) {
    const double *alpha = pass.alpha.data() + row - count, *after = behind.values.data() + row;
    for (int64_t i = 0; i < count; ++i) {
      double* sums = to.data() + i * count;
      for (int64_t j = 0; j < count; ++j) sums[j] += alpha[i] * after[j];
    }
  }
}

void add_sentence(const ScaledModel& model, const CrfBackward& call, int64_t sentence, Part& part) {
  const CrfRows rows = ref::crf_rows(call.scores, sentence);
  const auto labels = ref::crf_labels(call.scores, call.labels, sentence);
  if (rows.count == 0 || ref::crf_path_score(model.logs, rows, labels) == ref::kNever) {
    ref::store_emission_gradient(call, sentence, nullptr);
    return;
  }
  const auto add = [&](const std::vector<double>& probabilities) {
    ref::store_emission_gradient(call, sentence, &probabilities);
    part.direct.add_ends(probabilities, labels);
    part.direct.subtract_transitions(labels);
  };
  const Forward pass = forward(model, rows);
  if (pass.is_exact) {
    const Behind behind = backward(model, rows, pass);
    if (behind.is_exact) {
      add(behind.probabilities);
      add_outer(pass, behind, model.labels(), part.outer);
      return;
    }
  }
  const ref::CrfExpectation expected = ref::crf_expectation(model.logs, rows);
  add(expected.labels);
  for (size_t i = 0; i < expected.transitions.size(); ++i) {
    part.direct.transitions[i] += expected.transitions[i];
  }
}

std::vector<double> label_probabilities(const ScaledModel& model, const CrfRows& rows) {
  const Forward pass = forward(model, rows);
  if (pass.is_exact) {
    Behind behind = backward(model, rows, pass);
    if (behind.is_exact) return std::move(behind.probabilities);
  }
  return ref::crf_expectation(model.logs, rows).labels;
}

// Calls body(b) for each sentence.
template <class Body>
void for_each_sentence(const CrfScores& scores, const Body& body) {
  parallel_for(scores.sentences(), 1, [&](int64_t begin, int64_t end) {
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
  // As many parts whatever the number of threads: their sums are added up in order.
  constexpr int64_t kParts = 16;
  const ScaledModel model(call.scores);
  const int64_t count = model.labels(), sentences = call.scores.sentences();
  const int64_t parts = std::min(kParts, sentences);
  std::vector<Part> sums(static_cast<size_t>(parts), Part(count));
  parallel_for(parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      for (int64_t b = p * sentences / parts; b < (p + 1) * sentences / parts; ++b) {
        add_sentence(model, call, b, sums[p]);
      }
    }
  });
  ref::CrfSharedGradient total(count);
  for (const Part& part : sums) {
    for (size_t i = 0; i < total.transitions.size(); ++i) {
      total.transitions[i] +=
          part.outer[i] * model.transitions.values[i] + part.direct.transitions[i];
    }
    for (int64_t c = 0; c < count; ++c) {
      total.start[c] += part.direct.start[c];
      total.end[c] += part.direct.end[c];
    }
  }
  total.add_to(call);
}

void run(const CrfMarginals& call) {
  const ScaledModel model(call.scores);
  for_each_sentence(call.scores, [&](int64_t b) {
    const CrfRows rows = ref::crf_rows(call.scores, b);
    const std::vector<double> probabilities = label_probabilities(model, rows);
    for (int64_t t = 0; t < rows.count; ++t) {
      ref::store_row(call.marginals, call.scores.offsets[b] + t,
                     probabilities.data() + t * model.labels());
    }
  });
}

void run(const CrfDecode& call) {
  const CrfModel model = ref::crf_model(call.scores);
  for_each_sentence(call.scores, [&](int64_t b) {
    const double score = ref::crf_best_path(model, ref::crf_rows(call.scores, b),
                                            call.labels + call.scores.offsets[b]);
    if (call.path_score != nullptr) call.path_score[b] = score;
  });
}

}  // namespace weft::kernels::cpu
