#include "weft/train/precision.h"

#include "weft/core/log.h"
#include "weft/kernels/backend.h"
#include "weft/ops/fused/enabled.h"

namespace weft::train {

DType training_type(const std::string& precision) {
  if (precision == "float32") return DType::kF32;
  const bool is_fast = kernels::default_backend().is_fast_in(DType::kBF16) && ops::fused_enabled();
  if (is_fast) {
    log::info("training in bfloat16, with weights and sums in float32");
    return DType::kBF16;
  }
  log::write(precision == "auto" ? log::Level::kInfo : log::Level::kWarning,
             "training in float32: this processor has no fast bfloat16 multiplication");
  return DType::kF32;
}

}  // namespace weft::train
