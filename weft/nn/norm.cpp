#include "weft/nn/norm.h"

namespace weft::nn {

NormPlace make_norm_place(std::string_view name) {
  if (name == "post") return PostNorm{};
  if (name == "pre") return PreNorm{};
  fail<OptionError>("transformer-norm", "expected post or pre, got '{}'", name);
}

}  // namespace weft::nn
