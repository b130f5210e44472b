// Embedding look-up with sinusoidal positions, and rotary position embeddings.
#ifndef WEFT_KERNELS_EMBEDDING_H_
#define WEFT_KERNELS_EMBEDDING_H_

#include "weft/kernels/cost.h"

namespace weft::kernels {

// y[n] = scale * table[ids[n]] + sinusoid(position[n]), without the sinusoid if `position` is null
// (Vaswani et al. 2017: even features sin, odd features cos, base 10000).
struct Embedding {
  View table;
  const int32_t* ids;
  double scale = 1;
  const int32_t* position = nullptr;
  View y = {};
  static constexpr std::string_view kName = "embedding";
  Cost cost() const { return {0, bytes_of({y, y})}; }
};

// d_table[ids[n]] += scale * d_y[n], in ascending n.
struct EmbeddingBackward {
  const int32_t* ids;
  double scale = 1;
  View d_y = {}, d_table = {};
  static constexpr std::string_view kName = "d_embedding";
  Cost cost() const { return {0, bytes_of({d_y, d_y})}; }
};

// Rotary position embedding (Su et al. 2021, arXiv 2104.09864) of rows [N, H*K]. The K columns of
// each head are split into `axes` parts of two halves. In part p, features f of the two halves, (a,
// b), become (a cos - b sin, b cos + a sin), f < half = K / (2 * axes), with the cosines and sines
// in the columns f and half + f of row angle_rows[n * axes + p] of `angles`. `inverse` rotates by
// the negative angles, as required for gradients. y may be x.
struct Rotary {
  View x, y;
  View angles;                          // [P, 2*half]; F64 if x is, otherwise F32
  const int32_t* angle_rows = nullptr;  // [N, axes]
  int64_t axes = 1;
  int64_t heads = 1;
  bool inverse = false;
  static constexpr std::string_view kName = "rotary";
  Cost cost() const { return {0, bytes_of({x, y})}; }
};

namespace ref {
void run(const Embedding&), run(const EmbeddingBackward&), run(const Rotary&);
}
namespace cpu {
void run(const Embedding&), run(const EmbeddingBackward&), run(const Rotary&);
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_EMBEDDING_H_
