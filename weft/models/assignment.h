// Bipartite matching: the linear sum assignment problem.
#ifndef WEFT_MODELS_ASSIGNMENT_H_
#define WEFT_MODELS_ASSIGNMENT_H_

#include <cstdint>
#include <span>
#include <vector>

namespace weft::models {

// Gives each row of costs [rows, columns] a column of its own, at the lowest sum of costs, by
// shortest augmenting paths (Jonker and Volgenant 1987; Crouse 2016), in O(rows^2 columns). Returns
// the column of each row; a function of the costs alone. Throws ShapeError for more rows than
// columns or another number of costs, and NumericError for a cost that is not finite.
std::vector<int32_t> assign(std::span<const double> costs, int64_t rows, int64_t columns);

}  // namespace weft::models

#endif  // WEFT_MODELS_ASSIGNMENT_H_
