#include "weft/nn/attention/self_input.h"

namespace weft::nn {

void check_positions(std::string_view where, const ops::Rows& rows, int64_t most) {
  for (const int32_t position : rows.position) {
    if (position < most) continue;
    fail<ShapeError>(
        where, "a sentence has more than {} tokens, which --max-positions has room for", most);
  }
}

}  // namespace weft::nn
