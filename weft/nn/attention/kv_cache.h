// The state of incremental decoding of several sentences at once: the keys and values of the steps
// so far, and those of the sources, in rows that are written once and never moved. A beam is
// reordered by lists of rows; rows of a finished sentence are used again. Layers with a state of
// fixed size keep that instead.
#ifndef WEFT_NN_ATTENTION_KV_CACHE_H_
#define WEFT_NN_ATTENTION_KV_CACHE_H_

#include <span>
#include <vector>

#include "weft/kernels/attention.h"
#include "weft/ops/rows.h"
#include "weft/tensor/tensor.h"

namespace weft::nn {

// Which rows of a cache each of the W rows of a step attends to, the first step or source token
// first.
struct AttendedRows {
  std::vector<int32_t> rows;
  Segments segments;  // W

  std::span<const int32_t> of(int64_t w) const { return segments.span(rows, w); }
  void clear();
  void add(std::span<const int32_t> attended);  // of the next row
};

// Keys and values of one attention, for all sentences: [capacity, G*K] and [capacity, G*Kv]; of a
// recurrent decoder's attention [capacity, A or C] and [capacity, C].
struct KvRows {
  Tensor keys, values;

  // Writes row i of k and v to row numbers[i], rounded to `type`; grows to `capacity` rows.
  void write(const Tensor& k, const Tensor& v, std::span<const int32_t> numbers, int64_t capacity,
             DType type);
};

// Row w of q [W, H*K] attends to its attended rows: [W, H*Kv]. `call` says how; its q, out, keys,
// values, rows and offsets are filled in here.
Tensor cached_attention(const Tensor& q, const KvRows& kept, const AttendedRows& attended,
                        kernels::CachedAttention call);

// Numbers of free rows, without limit.
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
    Tensor state;                   // [W, cols] after the last step
    Tensor initial;                 // [slots, cols]; empty: zeros
    std::vector<int32_t> clusters;  // [capacity, cluster_ids] of the rows of `self`
    int64_t cluster_ids = 0;        // of each row
  };

  // For a decoder of `layers` layers whose cache is of `type`; `slots` sentences at a time.
  KvCache(int64_t layers, int64_t slots, DType type);

  // Sentences start in these slots, whose sentences before end: slot i takes the sentence whose
  // encoder states are segment i of `sources`.
  void enter(std::span<const int32_t> slots, const Segments& sources);

  // Frees the rows of the sentences in these slots.
  void release(std::span<const int32_t> slots);

  // Starts the next step: row w of it continues row parents[w] of the step before, or starts a
  // sentence where that is -1. counts[s] rows are of slot s, in order; a slot without rows is free
  // again. Throws ShapeError where these do not fit together.
  void begin_step(std::span<const int32_t> parents, std::span<const int32_t> counts);

  // Writes a layer's keys and values of this step's rows, or of the sentences that entered last.
  void write_self(size_t layer, const Tensor& k, const Tensor& v);
  void write_memory(size_t layer, const Tensor& k, const Tensor& v);

  // Writes the clusters that this step's rows are in beside their keys and values, [W, count].
  void write_clusters(size_t layer, std::span<const int32_t> clusters, int64_t count);
  // Those of a cached row.
  std::span<const int32_t> clusters_of(size_t layer, int32_t row) const {
    const Layer& l = layers_[layer];
    return std::span(l.clusters).subspan(static_cast<size_t>(row * l.cluster_ids), l.cluster_ids);
  }

  // The states [entered, cols] that the sentences which entered last start from in a layer; zeros
  // unless called.
  void begin_state(size_t layer, const Tensor& states);
  // The state of a layer that each row of this step continues, [W, cols]. Throws ShapeError for
  // another number of columns than before.
  Tensor continue_state(size_t layer, int64_t cols, DType dtype = DType::kF32) const;
  // The state that the rows of the next step continue.
  void keep_state(size_t layer, Tensor state) { layers_[layer].state = std::move(state); }

  size_t layers() const { return layers_.size(); }
  const Layer& layer(size_t i) const { return layers_[i]; }
  const AttendedRows& self() const { return self_; }      // the row's own step included
  const AttendedRows& memory() const { return memory_; }  // its sentence's source
  // The rows of this step by slot; a row's position is the number of steps before it.
  const ops::RowsPtr& rows() const { return rows_; }

 private:
  struct Slot {
    bool is_taken = false;
    std::vector<int32_t> steps, source;  // rows it holds
  };
  void leave(Slot& slot);
  // Frees the rows that none of the slot's hypotheses, the last `count` of self_, attends to.
  void free_unattended(Slot& slot, int64_t count);

  DType type_;
  std::vector<Layer> layers_;
  std::vector<Slot> slots_;
  FreeRows free_steps_, free_sources_;
  std::vector<int32_t> entered_;        // source rows of the sentences that entered last
  std::vector<int32_t> entered_slots_;  // and their slots
  std::vector<int32_t> parents_;        // of each row of this step
  std::vector<int32_t> own_;            // the row of each row of this step
  AttendedRows self_, memory_, before_;
  std::vector<bool> is_attended_;  // of each row; false between calls
  ops::RowsPtr rows_;
};

}  // namespace weft::nn

#endif  // WEFT_NN_ATTENTION_KV_CACHE_H_
