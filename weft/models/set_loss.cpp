#include "weft/models/set_loss.h"

#include <algorithm>
#include <cmath>

#include "weft/core/error.h"
#include "weft/data/boxes/box.h"
#include "weft/models/assignment.h"
#include "weft/ops/add.h"
#include "weft/ops/losses/box_loss.h"

namespace weft::models {
namespace {

// In place of a cost that is not finite, so that a loss which is not can be seen and skipped.
constexpr double kHighCost = 1e12;

data::Box box_of(const float* numbers) {
  return data::Box::around(numbers[0], numbers[1], numbers[2], numbers[3]);
}

// Predictions as numbers on the host.
class PairCosts {
 public:
  PairCosts(const BoxPredictions& predicted, const ExpectedBoxes& expected,
            const SetLossParams& params)
      : logits_(predicted.logits.to(DType::kF64)),
        boxes_(predicted.boxes.to(DType::kF32)),
        expected_(expected),
        params_(params) {
    for (int64_t n = 0; n < logits_.rows(); ++n) {
      const auto row = logits_.row_range(n, n + 1).span<double>();
      const double highest = *std::ranges::max_element(row);
      double sum = 0;
      for (const double x : row) sum += std::exp(x - highest);
      log_sums_.push_back(highest + std::log(sum));
    }
  }
  double cost(int32_t query, int32_t box) const {
    const auto label = static_cast<int64_t>(expected_.labels.ids[box]);
    const double p =
        std::exp(logits_.row_range(query, query + 1).span<double>()[label] - log_sums_[query]);
    const float* x = boxes_.row_range(query, query + 1).data<float>();
    const float* t = expected_.boxes.values.data() + 4 * static_cast<size_t>(box);
    double l1 = 0;
    for (int j = 0; j < 4; ++j) l1 += std::abs(static_cast<double>(x[j]) - t[j]);
    const double cost = -params_.label_cost * p + params_.l1_cost * l1 -
                        params_.giou_cost * data::generalized_iou(box_of(x), box_of(t));
    return std::isfinite(cost) ? cost : kHighCost;
  }

 private:
  Tensor logits_, boxes_;
  const ExpectedBoxes& expected_;
  const SetLossParams& params_;
  std::vector<double> log_sums_;
};

void check_pairs(const BoxPredictions& predicted, const ExpectedBoxes& expected) {
  const char* const where = "set_loss";
  check_shape(where, "boxes", predicted.boxes, predicted.rows->count(), 4);
  check_shape(where, "logits", predicted.logits, predicted.rows->count(), -1);
  if (expected.labels.segments.offsets != expected.boxes.segments.offsets ||
      expected.labels.examples() != predicted.rows->sequences()) {
    fail<ShapeError>(where, "expected labels and boxes of {} pictures",
                     predicted.rows->sequences());
  }
}

}  // namespace

std::vector<int32_t> match(const BoxPredictions& predicted, const ExpectedBoxes& expected,
                           const SetLossParams& params) {
  check_pairs(predicted, expected);
  const PairCosts pairs(predicted, expected, params);
  const Segments &queries = predicted.rows->segments, &boxes = expected.labels.segments;
  std::vector<int32_t> out(static_cast<size_t>(boxes.rows()), -1);
  for (int64_t b = 0; b < boxes.count(); ++b) {
    const int32_t query = queries.begin(b), box = boxes.begin(b);
    const int32_t query_count = queries.length(b), box_count = boxes.length(b);
    const bool has_enough = box_count <= query_count;  // each box then gets a query
    const int32_t rows = std::min(query_count, box_count),
                  columns = std::max(query_count, box_count);
    std::vector<double> costs;
    costs.reserve(static_cast<size_t>(rows) * static_cast<size_t>(columns));
    for (int32_t row = 0; row < rows; ++row) {
      for (int32_t column = 0; column < columns; ++column) {
        costs.push_back(has_enough ? pairs.cost(query + column, box + row)
                                   : pairs.cost(query + row, box + column));
      }
    }
    const std::vector<int32_t> columns_of = assign(costs, rows, columns);
    for (int32_t row = 0; row < rows; ++row) {
      const int32_t column = columns_of[row];
      out[box + (has_enough ? row : column)] = query + (has_enough ? column : row);
    }
  }
  return out;
}

ops::Loss set_loss(const BoxPredictions& predicted, const ExpectedBoxes& expected,
                   const SetLossParams& params, double weight, autograd::Tape* tape) {
  const std::vector<int32_t> matched = match(predicted, expected, params);
  const auto no_object = static_cast<int32_t>(predicted.logits.cols() - 1);
  std::vector<int32_t> labels(static_cast<size_t>(predicted.logits.rows()), no_object);
  std::vector<float> weights(labels.size(), static_cast<float>(params.no_object_weight));
  ops::BoxTargets targets;
  for (size_t box = 0; box < matched.size(); ++box) {
    const int32_t row = matched[box];
    if (row < 0) continue;
    labels[row] = expected.labels.ids[box];
    weights[row] = 1;
    targets.rows.push_back(row);
    const auto first = expected.boxes.values.begin() + 4 * static_cast<int64_t>(box);
    targets.boxes.insert(targets.boxes.end(), first, first + 4);
  }
  const ops::Loss of_labels = ops::cross_entropy(
      predicted.logits, ops::make_ids(std::move(labels)),
      {.weight = weight * params.label_weight,
       .row_weights = std::make_shared<const std::vector<float>>(std::move(weights))},
      tape);
  const ops::BoxLoss of_boxes =
      ops::box_loss(predicted.boxes, std::make_shared<const ops::BoxTargets>(std::move(targets)),
                    {.l1 = weight * params.l1_weight, .giou = weight * params.giou_weight}, tape);
  const double sum = params.label_weight * of_labels.total + params.l1_weight * of_boxes.l1 +
                     params.giou_weight * of_boxes.giou;
  return {.value = ops::add(of_labels.value, of_boxes.value, tape), .total = sum};
}

}  // namespace weft::models
