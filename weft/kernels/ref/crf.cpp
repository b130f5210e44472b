#include "weft/kernels/ref/crf.h"

#include <algorithm>
#include <cmath>

#include "weft/core/error.h"
#include "weft/kernels/ref/elements.h"

namespace weft::kernels::ref {
namespace {

// Rows [begin, end) in double.
std::vector<double> load_rows(const View& x, int64_t begin, int64_t end) {
  std::vector<double> out;
  out.reserve(static_cast<size_t>((end - begin) * x.cols));
  visit_with_bf16("crf", x, [&]<class T>(T) {
    for (int64_t n = begin; n < end; ++n) {
      const T* row = x.as<T>().row(n);
      for (int64_t c = 0; c < x.cols; ++c) out.push_back(convert<double>(row[c]));
    }
  });
  return out;
}

void forbid(std::span<const uint8_t> allowed, std::vector<double>& scores) {
  for (size_t i = 0; i < allowed.size(); ++i) {
    if (allowed[i] == 0) scores[i] = kNever;
  }
}

double log_sum_exp_of(const std::vector<double>& x) {
  const double top = *std::ranges::max_element(x);
  if (top == kNever) return kNever;
  double sum = 0;
  for (const double value : x) sum += std::exp(value - top);
  return top + std::log(sum);
}

}  // namespace

std::span<const int32_t> crf_labels(const CrfScores& scores, std::span<const int32_t> labels,
                                    int64_t sequence) {
  const int32_t begin = scores.offsets[sequence];
  return labels.subspan(begin, scores.offsets[sequence + 1] - begin);
}

CrfModel crf_model(const CrfScores& scores) {
  CrfModel out{scores.labels(), load_rows(scores.transitions, 0, scores.labels()),
               load_rows(scores.start, 0, 1), load_rows(scores.end, 0, 1)};
  forbid(scores.constraints.transitions, out.transitions);
  forbid(scores.constraints.start, out.start);
  forbid(scores.constraints.end, out.end);
  return out;
}

CrfRows crf_rows(const CrfScores& scores, int64_t sequence) {
  const int64_t begin = scores.offsets[sequence], end = scores.offsets[sequence + 1];
  return {end - begin, load_rows(scores.emissions, begin, end)};
}

std::vector<double> crf_alpha(const CrfModel& model, const CrfRows& rows) {
  const int64_t count = model.labels;
  std::vector<double> alpha = rows.scores, ways(static_cast<size_t>(count));
  for (int64_t t = 0; t < rows.count; ++t) {
    double* now = alpha.data() + t * count;
    const double* before = now - count;
    for (int64_t to = 0; to < count; ++to) {
      for (int64_t from = 0; t > 0 && from < count; ++from) {
        ways[from] = before[from] + model.transitions[from * count + to];
      }
      now[to] += t > 0 ? log_sum_exp_of(ways) : model.start[to];
    }
  }
  return alpha;
}

std::vector<double> crf_beta(const CrfModel& model, const CrfRows& rows) {
  const int64_t count = model.labels;
  std::vector<double> beta(rows.scores.size()), ways(static_cast<size_t>(count));
  for (int64_t t = rows.count - 1; t >= 0; --t) {
    double* now = beta.data() + t * count;
    const double *next = now + count, *emissions = rows.scores.data() + (t + 1) * count;
    const bool is_last = t + 1 == rows.count;
    for (int64_t from = 0; from < count; ++from) {
      for (int64_t to = 0; !is_last && to < count; ++to) {
        ways[to] = model.transitions[from * count + to] + emissions[to] + next[to];
      }
      now[from] = is_last ? model.end[from] : log_sum_exp_of(ways);
    }
  }
  return beta;
}

double crf_log_partition(const CrfModel& model, const std::vector<double>& alpha) {
  if (alpha.empty()) return 0;
  std::vector<double> ways(alpha.end() - model.labels, alpha.end());
  for (int64_t c = 0; c < model.labels; ++c) ways[c] += model.end[c];
  return log_sum_exp_of(ways);
}

double crf_path_score(const CrfModel& model, const CrfRows& rows, std::span<const int32_t> labels) {
  if (labels.empty()) return 0;
  double score = model.start[labels.front()] + model.end[labels.back()];
  for (size_t t = 0; t < labels.size(); ++t) {
    score += rows.scores[t * model.labels + labels[t]];
    if (t > 0) score += model.transitions[labels[t - 1] * model.labels + labels[t]];
  }
  return score;
}

double crf_best_path(const CrfModel& model, const CrfRows& rows, int32_t* labels) {
  if (rows.count == 0) return 0;
  const int64_t count = model.labels;
  std::vector<int32_t> from_label(rows.scores.size(), 0);
  std::vector<double> before(static_cast<size_t>(count)), best(before);
  for (int64_t t = 0; t < rows.count; ++t) {
    int32_t* from_of = from_label.data() + t * count;
    if (t == 0) {
      best = model.start;
    } else {
      std::swap(before, best);
      std::ranges::fill(best, kNever);
    }
    for (int64_t from = 0; t > 0 && from < count; ++from) {
      const double* transitions = model.transitions.data() + from * count;
      for (int64_t to = 0; to < count; ++to) {
        const double score = before[from] + transitions[to];
        const bool is_better = score > best[to];
        best[to] = is_better ? score : best[to];
        from_of[to] = is_better ? static_cast<int32_t>(from) : from_of[to];
      }
    }
    for (int64_t to = 0; to < count; ++to) best[to] += rows.scores[t * count + to];
  }
  for (int64_t c = 0; c < count; ++c) best[c] += model.end[c];
  const auto last = std::ranges::max_element(best);
  labels[rows.count - 1] = static_cast<int32_t>(last - best.begin());
  for (int64_t t = rows.count - 1; t > 0; --t) {
    labels[t - 1] = from_label[t * count + labels[t]];
  }
  return *last;
}

CrfExpectation crf_expectation(const CrfModel& model, const CrfRows& rows) {
  const int64_t count = model.labels;
  const std::vector<double> alpha = crf_alpha(model, rows), beta = crf_beta(model, rows);
  const double total = crf_log_partition(model, alpha);
  CrfExpectation out{std::vector<double>(alpha.size(), 0),
                     std::vector<double>(static_cast<size_t>(count * count), 0)};
  if (total == kNever) return out;
  for (size_t i = 0; i < alpha.size(); ++i) out.labels[i] = std::exp(alpha[i] + beta[i] - total);
  for (int64_t t = 1; t < rows.count; ++t) {
    for (int64_t from = 0; from < count; ++from) {
      for (int64_t to = 0; to < count; ++to) {
        const int64_t pair = from * count + to, here = t * count + to;
        out.transitions[pair] += std::exp(alpha[(t - 1) * count + from] + model.transitions[pair] +
                                          rows.scores[here] + beta[here] - total);
      }
    }
  }
  return out;
}

void store_row(const View& to, int64_t row, const double* values) {
  if (!to) return;
  visit_with_bf16("crf", to, [&]<class T>(T) {
    for (int64_t c = 0; c < to.cols; ++c) to.as<T>().row(row)[c] = convert<T>(values[c]);
  });
}

void add_all(const View& to, const std::vector<double>& values, double weight) {
  if (!to) return;
  visit_with_bf16("crf", to, [&]<class T>(T) {
    for (int64_t n = 0; n < to.rows; ++n) {
      T* row = to.as<T>().row(n);
      for (int64_t c = 0; c < to.cols; ++c) {
        row[c] = convert<T>(convert<double>(row[c]) + weight * values[n * to.cols + c]);
      }
    }
  });
}

CrfSharedGradient::CrfSharedGradient(int64_t labels)
    : transitions(static_cast<size_t>(labels * labels), 0),
      start(static_cast<size_t>(labels), 0),
      end(static_cast<size_t>(labels), 0) {}

void CrfSharedGradient::add_ends(const std::vector<double>& rows, std::span<const int32_t> labels) {
  const size_t count = start.size();
  for (size_t c = 0; c < count; ++c) {
    start[c] += rows[c];
    end[c] += rows[rows.size() - count + c];
  }
  start[labels.front()] -= 1;
  end[labels.back()] -= 1;
}

void CrfSharedGradient::subtract_transitions(std::span<const int32_t> labels) {
  for (size_t t = 1; t < labels.size(); ++t) {
    transitions[labels[t - 1] * start.size() + labels[t]] -= 1;
  }
}

void CrfSharedGradient::add_to(const CrfBackward& call) const {
  add_all(call.d_transitions, transitions, call.weight);
  add_all(call.d_start, start, call.weight);
  add_all(call.d_end, end, call.weight);
}

void store_emission_gradient(const CrfBackward& call, int64_t sequence,
                             const std::vector<double>* rows) {
  const int64_t count = call.scores.labels(), begin = call.scores.offsets[sequence];
  std::vector<double> gradient(static_cast<size_t>(count), 0);
  for (int64_t n = begin; n < call.scores.offsets[sequence + 1]; ++n) {
    if (rows != nullptr) {
      for (int64_t c = 0; c < count; ++c) {
        const double truth = c == call.labels[n] ? 1 : 0;
        gradient[c] = call.weight * ((*rows)[(n - begin) * count + c] - truth);
      }
    }
    store_row(call.d_emissions, n, gradient.data());
  }
}

void run(const Crf& call) {
  const CrfModel model = crf_model(call.scores);
  for (int64_t b = 0; b < call.scores.sequences(); ++b) {
    const CrfRows rows = crf_rows(call.scores, b);
    const double path = crf_path_score(model, rows, crf_labels(call.scores, call.labels, b));
    call.loss[b] = crf_loss(crf_log_partition(model, crf_alpha(model, rows)), path);
  }
}

void run(const CrfBackward& call) {
  const CrfModel model = crf_model(call.scores);
  CrfSharedGradient shared(model.labels);
  for (int64_t b = 0; b < call.scores.sequences(); ++b) {
    const CrfRows rows = crf_rows(call.scores, b);
    const auto labels = crf_labels(call.scores, call.labels, b);
    const bool has_gradient = rows.count > 0 && crf_path_score(model, rows, labels) != kNever;
    if (!has_gradient) {
      store_emission_gradient(call, b, nullptr);
      continue;
    }
    const CrfExpectation expected = crf_expectation(model, rows);
    store_emission_gradient(call, b, &expected.labels);
    shared.add_ends(expected.labels, labels);
    shared.subtract_transitions(labels);
    for (size_t i = 0; i < shared.transitions.size(); ++i) {
      shared.transitions[i] += expected.transitions[i];
    }
  }
  shared.add_to(call);
}

void run(const CrfMarginals& call) {
  const CrfModel model = crf_model(call.scores);
  for (int64_t b = 0; b < call.scores.sequences(); ++b) {
    const CrfRows rows = crf_rows(call.scores, b);
    const CrfExpectation expected = crf_expectation(model, rows);
    add_all(call.transitions, expected.transitions, 1);
    if (call.log_partition != nullptr) {
      call.log_partition[b] = crf_log_partition(model, crf_alpha(model, rows));
    }
    for (int64_t t = 0; t < rows.count; ++t) {
      store_row(call.marginals, call.scores.offsets[b] + t,
                expected.labels.data() + t * model.labels);
    }
  }
}

void run(const CrfDecode& call) {
  const CrfModel model = crf_model(call.scores);
  for (int64_t b = 0; b < call.scores.sequences(); ++b) {
    const double score =
        crf_best_path(model, crf_rows(call.scores, b), call.labels + call.scores.offsets[b]);
    if (call.path_score != nullptr) call.path_score[b] = score;
  }
}

}  // namespace weft::kernels::ref
