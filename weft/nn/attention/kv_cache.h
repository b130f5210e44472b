// What incremental decoding keeps: the keys and values of the steps so far, written in place, and
// the source's keys and values once a sentence. A beam is reordered by its ancestor table; nothing
// is copied.
#ifndef WEFT_NN_ATTENTION_KV_CACHE_H_
#define WEFT_NN_ATTENTION_KV_CACHE_H_

#include <span>
#include <vector>

#include "weft/ops/rows.h"
#include "weft/tensor/tensor.h"

namespace weft::nn {

struct KvCache {
  struct Layer {
    Tensor keys, values;                // [steps * slab_rows, H*K], [steps * slab_rows, H*Kv]
    Tensor memory_keys, memory_values;  // [M, H*K], [M, H*Kv]: the source's, made at step 0
  };

  // For a decoder of `layers` layers and at most `max_rows` live hypotheses.
  KvCache(int64_t layers, int64_t max_rows);

  // Starts the next step: row w of it goes on from row parents[w] of the step before (ignored at
  // step 0). `counts[s]` rows belong to sentence s, in order; 0 for a finished one. Throws
  // ShapeError when the counts do not sum to the parents, or exceed max_rows.
  void begin_step(std::span<const int32_t> parents, std::span<const int32_t> counts);

  // Writes this step's keys and values [W, H*K], [W, H*Kv] of one layer into its slabs.
  void append(Layer& layer, const Tensor& k, const Tensor& v);

  int64_t length() const { return step_ + 1; }  // steps cached, this one included
  int64_t step() const { return step_; }
  int64_t slab_rows() const { return max_rows_; }
  // [length, W]: in which slab row the key of step t for row w stands.
  const std::vector<int32_t>& ancestors() const { return ancestors_; }
  // The rows of this step: position = step, grouped by sentence.
  const ops::RowsPtr& rows() const { return rows_; }

  std::vector<Layer> layers;
  size_t current = 0;  // the layer at work, set by the decoder

 private:
  int64_t max_rows_;
  int64_t step_ = -1;
  int64_t width_ = 0;
  std::vector<int32_t> ancestors_;
  ops::RowsPtr rows_;
};

}  // namespace weft::nn

#endif  // WEFT_NN_ATTENTION_KV_CACHE_H_
