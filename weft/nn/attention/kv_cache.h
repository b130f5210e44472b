// What incremental decoding keeps of several sentences at once: the keys and values of the steps so
// far, and those of the sources, in rows that are written once and never moved. A beam is reordered
// by lists of rows; a sentence that leaves gives its rows to those that enter. Layers that carry a
// state of one size from step to step keep that instead.
#ifndef WEFT_NN_ATTENTION_KV_CACHE_H_
#define WEFT_NN_ATTENTION_KV_CACHE_H_

#include <span>
#include <vector>

#include "weft/kernels/attention.h"
#include "weft/ops/rows.h"
#include "weft/tensor/tensor.h"

namespace weft::nn {

// Which rows of a cache each row of a step sees: w sees rows[offsets[w]] to rows[offsets[w + 1]],
// the first step or source token first.
struct SeenRows {
  std::vector<int32_t> rows;
  std::vector<int32_t> offsets{0};  // [W + 1]

  std::span<const int32_t> of(int64_t w) const {
    return std::span(rows).subspan(offsets[w], offsets[w + 1] - offsets[w]);
  }
  void clear();
  void add(std::span<const int32_t> seen);  // of the next row
};

// Keys and values of one attention, for all sentences: [capacity, G*K] and [capacity, G*Kv]; of a
// recurrent decoder's attention [capacity, A or C] and [capacity, C].
struct KvRows {
  Tensor keys, values;

  // Row i of k and v becomes row at[i], rounded to `type`; there is room for `capacity` rows.
  void write(const Tensor& k, const Tensor& v, std::span<const int32_t> at, int64_t capacity,
             DType type);
};

// Row w of q [W, H*K] attends to the cached rows that `seen` gives it: [W, H*Kv]. `call` says how;
// its q, out, keys, values, rows and offsets are filled in here.
Tensor cached_attention(const Tensor& q, const KvRows& kept, const SeenRows& seen,
                        kernels::CachedAttention call);

// Rows that are free to take; as many as are asked for.
class FreeRows {
 public:
  int32_t take();
  void give(std::span<const int32_t> rows) { free_.insert(free_.end(), rows.begin(), rows.end()); }
  int64_t capacity() const { return capacity_; }

 private:
  std::vector<int32_t> free_;
  int32_t next_ = 0;
  int64_t capacity_ = 0;  // grows by half when all are taken
};

class KvCache {
 public:
  struct Layer {
    KvRows self, memory;
    Tensor state;                 // [W, cols] after the last step
    Tensor initial;               // [places, cols], by place; empty: zeros
    std::vector<int32_t> groups;  // [capacity, marks] of the rows of `self`
    int64_t marks = 0;
  };

  // For a decoder of `layers` layers whose cache is of `type`; `places` sentences at a time.
  KvCache(int64_t layers, int64_t places, DType type);

  // Sentences begin in places, which whoever had them leaves: `offsets` tells their rows of the
  // encoder's states.
  void enter(std::span<const int32_t> places, std::span<const int32_t> offsets);

  // The sentences in these places have left: their rows are free.
  void release(std::span<const int32_t> places);

  // Starts the next step: row w of it goes on from row parents[w] of the step before, or begins a
  // sentence where that is -1. counts[p] rows are of place p, in order; a place without rows is
  // free again. Throws ShapeError where these do not fit together.
  void begin_step(std::span<const int32_t> parents, std::span<const int32_t> counts);

  // Writes keys and values of this step's rows, or of the sentences that entered last.
  void write_self(const Tensor& k, const Tensor& v);
  void write_memory(const Tensor& k, const Tensor& v);

  // Marks of this step's rows beside their keys and values, [W, marks]: the groups that they are
  // in.
  void write_groups(std::span<const int32_t> groups, int64_t marks);
  // Those of a cached row of the layer at work.
  std::span<const int32_t> groups_of(int32_t row) const {
    const Layer& at = layers_[current];
    return std::span(at.groups).subspan(static_cast<size_t>(row * at.marks), at.marks);
  }

  // The states [entered, cols] that the sentences which entered last start from at the layer at
  // work; a layer that is told none starts from zeros.
  void begin_state(const Tensor& states);
  // The state of the layer at work that each row of this step goes on from, [W, cols]. Throws
  // ShapeError for another number of columns than before.
  Tensor continue_state(int64_t cols, DType dtype = DType::kF32) const;
  // What the rows of the next step go on from.
  void keep_state(Tensor state) { layers_[current].state = std::move(state); }

  size_t layers() const { return layers_.size(); }
  const Layer& layer() const { return layers_[current]; }
  const SeenRows& self() const { return self_; }      // the row's own step included
  const SeenRows& memory() const { return memory_; }  // its sentence's source
  // The rows of this step by place; a row's position is the number of steps before it.
  const ops::RowsPtr& rows() const { return rows_; }

  size_t current = 0;  // the layer at work; whoever reads or writes one sets it first

  // From now on every step leaves here what its rows' attention to the memory is in the last layer:
  // the mean of the heads' weights for each of memory().rows. Null: not.
  void watch(std::vector<float>* weights) { watched_ = weights; }
  // Where the layer at work puts the weights of its cross-attention, or null.
  float* memory_weights();

 private:
  struct Place {
    bool is_taken = false;
    std::vector<int32_t> steps, source;  // rows it holds
  };
  void leave(Place& place);
  // Gives back the rows that none of the place's hypotheses, the last `count` of self_, sees.
  void drop_unseen(Place& place, int64_t count);

  DType type_;
  std::vector<Layer> layers_;
  std::vector<Place> places_;
  FreeRows free_steps_, free_sources_;
  std::vector<int32_t> entered_;         // rows of the sources that entered last
  std::vector<int32_t> entered_places_;  // and where
  std::vector<int32_t> parents_;         // of each row of this step
  std::vector<int32_t> own_;             // the row of each row of this step
  SeenRows self_, memory_, before_;
  std::vector<bool> is_seen_;  // of each row; false between calls
  std::vector<float>* watched_ = nullptr;
  ops::RowsPtr rows_;
};

}  // namespace weft::nn

#endif  // WEFT_NN_ATTENTION_KV_CACHE_H_
