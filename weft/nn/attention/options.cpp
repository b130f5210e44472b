#include "weft/nn/attention/options.h"

namespace weft::nn {
namespace {

// Limits of factors in the model: with them float32 results stay away from 0 and infinity.
constexpr double kMinScoreScale = 1e-6, kMaxScoreScale = 1e6;

void check_score_factor(const char* option, double value) {
  if (value == 0 || value >= kMinScoreScale) return;
  fail<OptionError>(option, "expected a number from {} to {}, or 0; got {}", kMinScoreScale,
                    kMaxScoreScale, value);
}

void check_limits(const AttentionOptions& o) {
  const AttentionLimits& limits = o.kind.limits();
  const bool is_elementwise =
      o.activation.visit([](const auto& kind) { return kind.kElementwise; });
  struct Use {
    const char* option;
    bool is_on;
    const char* reason;
  };
  const Use uses[] = {
      {"--attention-activation", !o.activation.is<SoftmaxActivation>(), limits.activation},
      {"--attention-activation", is_elementwise, limits.elementwise},
      {"--attention-soft-cap", o.soft_cap != 0, limits.activation},
      {"--attention-qk-norm", !o.qk_norm.is<NoQkNormOptions>(), limits.qk_norm},
      {"--transformer-dropout-attention", o.dropout != 0, limits.dropout},
      {"--transformer-key-heads", o.key_heads != 0, limits.key_heads}};
  for (const auto& [option, is_on, reason] : uses) {
    if (is_on && reason != nullptr)
      fail<OptionError>(option, "--attention {} {}", o.kind.name(), reason);
  }
}

}  // namespace

void AttentionOptions::check() const {
  check_score_factor("--attention-scale", scale);
  check_score_factor("--attention-soft-cap", soft_cap);
  if (heads % groups() != 0) {
    fail<OptionError>("--transformer-key-heads",
                      "{} heads of keys do not divide --transformer-heads {}", key_heads, heads);
  }
  kind.check();
  check_limits(*this);
}

void EncoderDecoderAttentionOptions::check(const AttentionKinds& kind) const {
  if (kind.is_full() && !stacks.is<InAllStacks>()) {
    fail<OptionError>("--attention-in",
                      "the other side's attention is full in any case; expected all, or another "
                      "--attention than full");
  }
}

}  // namespace weft::nn
