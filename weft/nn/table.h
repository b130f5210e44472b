// Rows of a learned table, packed or not.
#ifndef WEFT_NN_TABLE_H_
#define WEFT_NN_TABLE_H_

#include <span>
#include <string_view>

#include "weft/nn/parameters.h"
#include "weft/ops/layout.h"

namespace weft::nn {

// scale * table[ids[n]]: [N, cols]. Throws ShapeError for an id outside the table.
Tensor look_up(const Parameter& table, const ops::Ids& ids, double scale, autograd::Tape* tape);

// These rows of a table, packed where it is. Throws ShapeError for one outside it.
Parameter rows_of(const Parameter& table, std::span<const int32_t> rows);

// Throws ShapeError where a row's position is not below `most`, the --max-positions.
void check_positions(std::string_view where, const ops::Layout& rows, int64_t most);

}  // namespace weft::nn

#endif  // WEFT_NN_TABLE_H_
