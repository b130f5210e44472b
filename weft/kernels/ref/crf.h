// Reference conditional random fields, in log space and in double for any type of views.
#ifndef WEFT_KERNELS_REF_CRF_H_
#define WEFT_KERNELS_REF_CRF_H_

#include <cstdint>
#include <limits>
#include <vector>

#include "weft/kernels/crf.h"

namespace weft::kernels::ref {

inline constexpr double kNever = -std::numeric_limits<double>::infinity();

// The scores shared by all sequences; -infinity if forbidden.
struct CrfModel {
  int64_t labels = 0;               // C
  std::vector<double> transitions;  // [C, C]
  std::vector<double> start, end;   // [C]
};
CrfModel crf_model(const CrfScores& scores);

// The emissions of one sequence.
struct CrfRows {
  int64_t count = 0;           // T
  std::vector<double> scores;  // [T, C]
};
CrfRows crf_rows(const CrfScores& scores, int64_t sequence);
std::span<const int32_t> crf_labels(const CrfScores& scores, std::span<const int32_t> labels,
                                    int64_t sequence);

// Log of the sum of exp(s) [T, C] over all partial paths with a given label at a row: alpha from
// the start to the row, including its emission; beta from after the row to the end.
std::vector<double> crf_alpha(const CrfModel& model, const CrfRows& rows);
std::vector<double> crf_beta(const CrfModel& model, const CrfRows& rows);

// log Z.
double crf_log_partition(const CrfModel& model, const std::vector<double>& alpha);

// s(labels).
double crf_path_score(const CrfModel& model, const CrfRows& rows, std::span<const int32_t> labels);

// Infinite for a forbidden path.
inline double crf_loss(double log_partition, double path_score) {
  return path_score == kNever ? -kNever : log_partition - path_score;
}

// Writes the best labels [T] and returns their score.
double crf_best_path(const CrfModel& model, const CrfRows& rows, int32_t* labels);

// Expectations under the model: the probability of each label at each row, and the expected count
// of each transition; zeros if no labelling is allowed.
struct CrfExpectation {
  std::vector<double> labels;       // [T, C]
  std::vector<double> transitions;  // [C, C]
};
CrfExpectation crf_expectation(const CrfModel& model, const CrfRows& rows);

// to[row] = values [C]; does nothing if `to` is empty.
void store_row(const View& to, int64_t row, const double* values);
// to += weight * values, elementwise; does nothing if `to` is empty.
void add_all(const View& to, const std::vector<double>& values, double weight);

// The gradients of the shared scores, accumulated in double.
struct CrfSharedGradient {
  std::vector<double> transitions;  // [C, C]
  std::vector<double> start, end;   // [C]

  explicit CrfSharedGradient(int64_t labels);
  // Adds the expectation of a sequence minus the counts of its labels; `rows` are probabilities [T,
  // C].
  void add_ends(const std::vector<double>& rows, std::span<const int32_t> labels);
  void subtract_transitions(std::span<const int32_t> labels);
  void add_to(const CrfBackward& call) const;
};

// d_emissions of a sequence: weight * (probability - onehot(label)); zeros if `rows` is null.
void store_emission_gradient(const CrfBackward& call, int64_t sequence,
                             const std::vector<double>* rows);

}  // namespace weft::kernels::ref

#endif  // WEFT_KERNELS_REF_CRF_H_
