// Embeddings: table look-up with sinusoidal positions, and rotary positions.
#ifndef WEFT_KERNELS_EMBEDDING_H_
#define WEFT_KERNELS_EMBEDDING_H_

#include "weft/kernels/cost.h"

namespace weft::kernels {

// y[n] = scale * table[ids[n]] + sinusoid(position[n]) where `position` is not null
// (Vaswani et al. 2017: even features sin, odd ones cos, interleaved, base 10000).
struct Embedding {
  View table;
  const int32_t* ids;
  double scale = 1;
  const int32_t* position = nullptr;
  View y = {};
  static constexpr std::string_view kName = "embedding";
  Cost cost() const { return {0, bytes_of({y, y})}; }
};

// d_table[ids[n]] += scale * d_y[n], in the order of n.
struct EmbeddingBackward {
  const int32_t* ids;
  double scale = 1;
  View d_y = {}, d_table = {};
  static constexpr std::string_view kName = "d_embedding";
  Cost cost() const { return {0, bytes_of({d_y, d_y})}; }
};

// Rotary positions (Su et al. 2021, arXiv 2104.09864) of rows [N, H*K]: the K columns of each head
// are cut into `axes` parts of two halves; of part p, feature f of the first half and of the second
// become (a cos - b sin, b cos + a sin) of (a, b), the angle being
//   position[n * axes + p] * base^(-f / half),  half = K / (2 * axes).
// `inverse` rotates by the negative angle, as gradients are. y may be x.
struct Rotary {
  View x, y;
  const int32_t* position = nullptr;  // [N, axes]
  int64_t axes = 1;
  int64_t heads = 1;
  double base = 10000;
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
