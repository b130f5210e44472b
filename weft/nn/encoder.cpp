#include "weft/nn/encoder.h"

#include <type_traits>

namespace weft::nn {

Memory Encoder::operator()(Tensor x, const ops::LayoutPtr& rows, const AttentionPosition& position,
                           const Context& context) const {
  return std::visit(
      [&]<class Kind>(const Kind& k) -> Memory {
        if constexpr (std::is_same_v<Kind, Stack>) {
          return {k.forward(std::move(x), {rows, position}, Memory(), context), rows};
        } else {
          return k(x, rows, context);
        }
      },
      kind);
}

}  // namespace weft::nn
