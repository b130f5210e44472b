#include "weft/ops/fused/enabled.h"

#include <cstdlib>
#include <string_view>

#include "weft/core/error.h"

namespace weft::ops {

bool fused_enabled() {
  const char* value = std::getenv("WEFT_FUSED");
  if (value == nullptr) return true;
  const std::string_view text = value;
  if (text != "0" && text != "1") {
    fail<OptionError>("WEFT_FUSED", "expected 0 or 1, got '{}'", text);
  }
  return text == "1";
}

}  // namespace weft::ops
