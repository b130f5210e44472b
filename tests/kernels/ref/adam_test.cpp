#include "weft/kernels/adam.h"

#include <gtest/gtest.h>

#include <cmath>

#include "weft/kernels/backend.h"

namespace weft::kernels {
namespace {

TEST(ReferenceAdam, MatchesAManualUpdate) {
  float weight = 2, gradient = 8, m = 1, v = 4, ema = 10;
  ref_backend()(Adam{.weights = &weight,
                     .gradient = &gradient,
                     .m = &m,
                     .v = &v,
                     .ema = &ema,
                     .n = 1,
                     .gradient_scale = 0.25f,
                     .learn_rate = 0.1f,
                     .beta1 = 0.5f,
                     .beta2 = 0.75f,
                     .epsilon = 0.5f,
                     .v_correction = 2.25f,
                     .weight_decay = 0.01f,
                     .ema_decay = 0.9f});
  // g = 2; m = 0.5 + 1; v = 3 + 1; step = 1.5 / (sqrt(4 * 2.25) + 0.5)
  EXPECT_FLOAT_EQ(m, 1.5f);
  EXPECT_FLOAT_EQ(v, 4);
  EXPECT_FLOAT_EQ(weight, 2 - 0.1f * 1.5f / 3.5f - 0.02f);
  EXPECT_FLOAT_EQ(ema, 9 + 0.1f * weight);
}

TEST(ReferenceAdam, NeedsNoAverage) {
  float weight = 2, gradient = 0, m = 0, v = 0;
  ref_backend()(Adam{.weights = &weight,
                     .gradient = &gradient,
                     .m = &m,
                     .v = &v,
                     .ema = nullptr,
                     .n = 1,
                     .gradient_scale = 1,
                     .learn_rate = 0.1f,
                     .beta1 = 0.9f,
                     .beta2 = 0.98f,
                     .epsilon = 1e-9f,
                     .v_correction = 1,
                     .weight_decay = 0,
                     .ema_decay = 0});
  EXPECT_EQ(weight, 2);
}

}  // namespace
}  // namespace weft::kernels
