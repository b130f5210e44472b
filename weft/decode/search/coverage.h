// How much of a source a translation has attended to (Wu et al. 2016, arXiv 1609.08144, section 7).
#ifndef WEFT_DECODE_SEARCH_COVERAGE_H_
#define WEFT_DECODE_SEARCH_COVERAGE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "weft/core/segments.h"
#include "weft/nn/attention/observer.h"

namespace weft::decode {

// What each of the W rows of a step attends to: the weights of its request's source tokens, which
// sum to 1.
struct SourceWeights {
  std::vector<float> weights;
  Segments segments;  // W

  std::span<const float> of(int64_t w) const { return segments.span(weights, w); }
};

// Fills SourceWeights in a step of decoding: the mean over the heads of the last layer that attends
// to the source.
class SourceWeightsObserver final : public nn::AttentionObserver {
 public:
  // `cross_attentions` is the decoder's number of layers that attend; `weights` has to outlive it.
  SourceWeightsObserver(int64_t cross_attentions, SourceWeights& weights)
      : key_{"decoder", cross_attentions - 1, nn::AttentionRole::kCross}, weights_(&weights) {}

  bool wants(const nn::AttentionKey& key) const override { return key == key_; }
  void see(const nn::AttentionKey& key, const nn::ObservedAttention& attention,
           autograd::Tape* tape) override;

 private:
  nn::AttentionKey key_;
  SourceWeights* weights_;
};

// For each source token the sum of the weights on it, over the target tokens so far, the end symbol
// included; empty before the first.
using Coverage = std::vector<double>;

// `so_far` and the weights of one more target token.
Coverage covered(const Coverage& so_far, std::span<const float> weights);

// beta * sum over source tokens of log(min(coverage, 1)) (equation 14): added to a score, at most 0
// and never falling as a translation grows. A coverage below 1e-10 counts as 1e-10.
double coverage_penalty(double beta, const Coverage& coverage);

}  // namespace weft::decode

#endif  // WEFT_DECODE_SEARCH_COVERAGE_H_
