#include "weft/models/assignment.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "weft/core/error.h"

namespace weft::models {
namespace {

constexpr int32_t kNone = -1;

// The matching of the rows so far, with the dual variables that prove it optimal: every reduced
// cost, cost - u[row] - v[column], is at least 0, and 0 where they are matched.
class Matching {
 public:
  Matching(std::span<const double> costs, int64_t rows, int64_t columns)
      : costs_(costs),
        columns_(static_cast<size_t>(columns)),
        u_(static_cast<size_t>(rows)),
        v_(columns_),
        column_of_(static_cast<size_t>(rows), kNone),
        row_of_(columns_, kNone),
        distance_(columns_),
        before_(columns_),
        is_done_(columns_) {}

  // Adds a row by the shortest augmenting path from it to a free column (Dijkstra).
  void add(int32_t start) {
    std::ranges::fill(distance_, std::numeric_limits<double>::infinity());
    std::fill(is_done_.begin(), is_done_.end(), false);
    int32_t row = start, end = kNone;
    double shortest = 0;
    while (end == kNone) {
      relax(row, shortest);
      const int32_t column = nearest();
      shortest = distance_[column];
      is_done_[column] = true;
      row = row_of_[column];
      if (row == kNone) end = column;
    }
    update_duals(start, shortest);
    augment(start, end);
  }
  const std::vector<int32_t>& columns() const { return column_of_; }

 private:
  // Distances by way of a row that is `shortest` away.
  void relax(int32_t row, double shortest) {
    const double* cost = costs_.data() + static_cast<size_t>(row) * columns_;
    for (size_t j = 0; j < columns_; ++j) {
      if (is_done_[j]) continue;
      const double through = shortest + cost[j] - u_[row] - v_[j];
      if (through >= distance_[j]) continue;
      distance_[j] = through;
      before_[j] = row;
    }
  }
  // Of the columns that are not done, the first free one among equals, else the first.
  int32_t nearest() const {
    int32_t best = kNone;
    for (size_t j = 0; j < columns_; ++j) {
      if (is_done_[j]) continue;
      const bool is_better =
          best == kNone || distance_[j] < distance_[best] ||
          (distance_[j] == distance_[best] && row_of_[j] == kNone && row_of_[best] != kNone);
      if (is_better) best = static_cast<int32_t>(j);
    }
    return best;
  }
  void update_duals(int32_t start, double shortest) {
    u_[start] += shortest;
    for (size_t j = 0; j < columns_; ++j) {
      if (!is_done_[j]) continue;
      const double change = shortest - distance_[j];
      v_[j] -= change;
      if (row_of_[j] != kNone) u_[row_of_[j]] += change;
    }
  }
  void augment(int32_t start, int32_t end) {
    int32_t row = kNone, column = end;
    do {
      row = before_[column];
      row_of_[column] = row;
      std::swap(column_of_[row], column);
    } while (row != start);
  }

  std::span<const double> costs_;
  size_t columns_;
  std::vector<double> u_, v_;
  std::vector<int32_t> column_of_, row_of_;
  std::vector<double> distance_;  // of each column from the row that is added
  std::vector<int32_t> before_;   // the row before each column on its shortest path
  std::vector<bool> is_done_;
};

}  // namespace

std::vector<int32_t> assign(std::span<const double> costs, int64_t rows, int64_t columns) {
  if (rows < 0 || rows > columns) {
    fail<ShapeError>("assign", "expected at most {} rows, the number of columns, got {}", columns,
                     rows);
  }
  if (std::ssize(costs) != rows * columns) {
    fail<ShapeError>("assign", "expected {} costs, got {}", rows * columns, costs.size());
  }
  if (!std::ranges::all_of(costs, [](double cost) { return std::isfinite(cost); })) {
    fail<NumericError>("assign", "a cost is not finite");
  }
  Matching matching(costs, rows, columns);
  for (int32_t row = 0; row < rows; ++row) matching.add(row);
  return matching.columns();
}

}  // namespace weft::models
