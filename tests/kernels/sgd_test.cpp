#include "weft/kernels/sgd.h"

#include <gtest/gtest.h>

#include "tests/kernels/compare.h"

namespace weft::kernels {
namespace {

using test::compare;
using test::F32;

TEST(ReferenceSgd, MatchesAManualUpdate) {
  for (const bool nesterov : {false, true}) {
    float weight = 2, gradient = 8, m = 4, ema = 10;
    ref_backend()(Sgd{.weights = &weight,
                      .gradient = &gradient,
                      .m = &m,
                      .ema = &ema,
                      .n = 1,
                      .gradient_scale = 0.25f,
                      .learn_rate = 0.1f,
                      .momentum = 0.5f,
                      .nesterov = nesterov,
                      .weight_decay = 0.01f,
                      .ema_decay = 0.9f});
    // g = 2; m = 0.5 * 4 + 2; the step is m, or 2 + 0.5 * 4
    EXPECT_FLOAT_EQ(m, 4);
    EXPECT_FLOAT_EQ(weight, 2 - 0.1f * 4 - 0.02f) << nesterov;
    EXPECT_FLOAT_EQ(ema, 9 + 0.1f * weight);
  }
}

TEST(FastSgd, Agrees) {
  for (const int64_t n : {0, 1, 7, 33, 1000, 70000}) {
    F32 gradient = F32::random(1, n, 1);
    const std::vector<F32> state{F32::random(1, n, 2), F32::random(1, n, 3), F32::random(1, n, 4)};
    for (const bool nesterov : {false, true}) {
      compare(state, 1e-6, [&](const Backend& b, auto& s) {
        b(Sgd{.weights = s[0].row(0),
              .gradient = gradient.row(0),
              .m = s[1].row(0),
              .ema = nesterov ? s[2].row(0) : nullptr,
              .n = n,
              .gradient_scale = 0.7f,
              .learn_rate = 0.01f,
              .momentum = 0.9f,
              .nesterov = nesterov,
              .weight_decay = 1e-3f,
              .ema_decay = 0.99f});
      });
    }
  }
}

}  // namespace
}  // namespace weft::kernels
