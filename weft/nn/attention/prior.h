// A prior of cross-attention: a fixed bias on the scores of attention to the source, the same in
// training and in decoding.
#ifndef WEFT_NN_ATTENTION_PRIOR_H_
#define WEFT_NN_ATTENTION_PRIOR_H_

#include "weft/ops/fused/attention.h"
#include "weft/options/fields.h"

namespace weft::nn {

struct PriorShape {
  double width = 3;  // w, in source rows
  double ratio = 1;  // r, source rows a target row

  template <class V>
  void fields(V& v) {
    v("attention-prior-width", width,
      {.help = "width of the prior, in source tokens", .min = 0.1, .max = 1000});
    v("attention-prior-ratio", ratio,
      {.help = "source tokens for a target token", .min = 0.01, .max = 100});
  }
};

// Added to the score of target row i and source row j, d being j - round(r i).
struct NoPriorOptions {
  static constexpr std::string_view kName = "none";
};
// -d^2 / (2 w^2), the logarithm of a Gaussian.
struct DiagonalPriorOptions : PriorShape {
  static constexpr std::string_view kName = "diagonal";
  static constexpr std::string_view kHelp = "-d^2 / (2 width^2)";
};
// -max(0, -d) / w: lowers source rows behind the expected one, not those ahead.
struct MonotonicPriorOptions : PriorShape {
  static constexpr std::string_view kName = "monotonic";
  static constexpr std::string_view kHelp = "-d / width for tokens behind, 0 for those ahead";
};

using PriorKinds = options::OneOf<NoPriorOptions, DiagonalPriorOptions, MonotonicPriorOptions>;

class AttentionPrior {
 public:
  AttentionPrior() = default;  // none
  // For `heads` heads, the same for all.
  AttentionPrior(const PriorKinds& kinds, int64_t heads);

  // The same for fewer heads.
  AttentionPrior with_heads(int64_t heads) const;

  bool is_present() const { return static_cast<bool>(table_); }
  // For queries of this type; nothing where there is no prior.
  ops::PositionBias bias(DType dtype) const;
  // The rows at round(r i).
  ops::LayoutPtr moved(const ops::Layout& rows) const;

 private:
  Tensor table_;  // [2R + 1, H], F32; beyond the distance R the bias is constant
  double ratio_ = 1;
};

}  // namespace weft::nn

#endif  // WEFT_NN_ATTENTION_PRIOR_H_
