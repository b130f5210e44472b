// The state of incremental decoding of several sequences at once: the keys and values of the rows
// so far, and those of the sources. Rows are written once and never moved: a beam is reordered, and
// a beginning shared, by lists of rows that are counted. Layers that attend to a window keep the
// rows of a window and some before it, and those with a state of fixed size keep that instead.
#ifndef WEFT_NN_ATTENTION_KV_CACHE_H_
#define WEFT_NN_ATTENTION_KV_CACHE_H_

#include <memory>
#include <span>
#include <vector>

#include "weft/kernels/attention.h"
#include "weft/nn/attention/paged_tensor.h"
#include "weft/nn/attention/sequence_rows.h"
#include "weft/ops/layout.h"

namespace weft::nn {

// Keys and values of one attention, for all sequences: [rows, G*K] and [rows, G*Kv]; of a recurrent
// decoder's attention [rows, A or C] and [rows, C].
struct KvRows {
  PagedTensor keys, values;
};

// Row n of q [N, H*K] attends to the rows attended[n]: out [N, H*Kv]. `call` says how; its q, out,
// keys, values and rows are filled in here.
void attend_to_rows(const Tensor& q, const KvRows& kept, const RowLists& attended,
                    const Tensor& out, kernels::CachedAttention call);

// A sequence has a slot: first its prompt, in one pass or several, then steps of its hypotheses,
// which continue the prompt. A pass begins with one of the begin_ functions, which says which rows
// it has; the layers then write what they keep of those rows and read what the rows attend to. What
// a pass computes for a sequence does not depend on the others, nor on how a prompt is divided.
class KvCache {
 public:
  struct Layer {
    KvRows self, memory;
    Tensor state;                   // [W, cols] after the last step
    Tensor prompt_state;            // [slots, cols] after the prompt so far; empty: zeros
    std::vector<int32_t> clusters;  // [rows, cluster_ids] of the rows of `self`
    int64_t cluster_ids = 0;        // of each row
  };

  // For a decoder whose rows are kept as `type`: that of the model, BF16 or I8. `layers` says of
  // each layer which rows its self-attention may attend to.
  KvCache(const std::vector<kernels::AttentionPattern>& layers, DType type);

  // Sequences begin in these slots, of which there are as many as needed; those that had them end.
  // Slot i attends to segment i of the memory.
  void add_sequences(std::span<const int32_t> slots, const Segments& memory);
  // Frees the rows of the sequences in these slots.
  void release(std::span<const int32_t> slots);
  // The sequence in slot `to`, which has no prompt yet, begins with the first `count` rows of the
  // prompt of slot `from`, or, where layers keep states, with all of it if those are `count`.
  // Returns how many rows it has then: none where a window has left their end behind.
  int64_t share_prompt(int32_t from, int32_t to, int64_t count);
  // The one hypothesis of a slot, after its last step, becomes its prompt.
  void keep_hypothesis(int32_t slot);
  // Drops the last `count` rows of the prompt in a slot, which other sequences may still have.
  // Throws ShapeError for more rows than it has, where layers keep states, and where a window has
  // left behind what is seen from there: never for rows of the last pass and
  // SequenceRows::kDroppable before it.
  void drop_rows(int32_t slot, int64_t count);
  int64_t prompt_rows(int32_t slot) const { return groups_.front().prompt_rows(slot); }
  // Of a layer's self-attention, in all slots.
  int64_t held_rows(size_t layer) const { return rows_of(layer).held(); }
  // Of all keys and values, as they were at most.
  int64_t bytes() const;

  // The rows of segment i of a pass continue the prompt of slots[i].
  void begin_prompt(std::span<const int32_t> slots, const Segments& segments);
  // Row n of a step continues hypothesis parents[n] of the slot's last step, or its prompt where
  // that is -1. counts[s] rows are of slot s, in order; a sequence without rows is parked: it keeps
  // what it has. Throws ShapeError where these do not fit together.
  void begin_step(std::span<const int32_t> parents, std::span<const int32_t> counts);
  // A pass whose rows, counts[s] of slot s in order, attend to the memory alone; it has no rows().
  void begin_memory_pass(std::span<const int32_t> counts);

  // Writes a layer's keys and values of this pass's rows, with this many key heads.
  void write_self(size_t layer, const Tensor& k, const Tensor& v, int64_t key_heads);
  // Writes those of the sequences that were added last. Without key heads nothing reads them by
  // head: they are kept as BF16 in place of I8.
  void write_memory(size_t layer, const Tensor& k, const Tensor& v, int64_t key_heads);

  // Writes the clusters that this pass's rows are in beside their keys and values, [N, count].
  void write_clusters(size_t layer, std::span<const int32_t> clusters, int64_t count);
  // Those of a cached row.
  std::span<const int32_t> clusters_of(size_t layer, int32_t row) const {
    const Layer& l = layers_[layer];
    return std::span(l.clusters).subspan(static_cast<size_t>(row * l.cluster_ids), l.cluster_ids);
  }

  // The states [added, cols] that the sequences which were added last start from in a layer; zeros
  // unless called.
  void begin_state(size_t layer, const Tensor& states);
  // The states of a layer that this pass continues, of each row of a step or each segment of
  // prompts: [W, cols]. Throws ShapeError for another number of columns than before.
  Tensor continue_state(size_t layer, int64_t cols, DType dtype = DType::kF32) const;
  // The states after this pass.
  void keep_state(size_t layer, Tensor state);

  size_t layers() const { return layers_.size(); }
  const Layer& layer(size_t i) const { return layers_[i]; }
  // What the rows of this pass attend to: in a layer's self-attention, themselves included, with
  // the position of the first row of each list; in cross-attention, of their sequences' sources.
  const RowLists& self(size_t layer) const { return rows_of(layer).attended(); }
  std::span<const int32_t> first_positions(size_t layer) const {
    return rows_of(layer).first_positions();
  }
  const RowLists& memory() const { return memory_; }
  // The rows of this pass, by slot or by prompt, and their positions.
  const ops::LayoutPtr& rows() const { return rows_; }

 private:
  using States = std::shared_ptr<const std::vector<Tensor>>;  // of each layer
  struct Slot {
    bool is_taken = false;
    std::vector<int32_t> source;  // rows
    int64_t hypotheses = 0;       // after its last step
    int32_t first_row = 0;        // of the hypotheses in Layer::state
    States parked;                // of the hypotheses, in place of those
  };
  // A row of a step whose state is not a row of Layer::state.
  struct ResumedRow {
    int64_t step_row, state_row;
    States states;
  };
  const SequenceRows& rows_of(size_t layer) const { return groups_[group_of_[layer]]; }
  Slot& taken_slot(int64_t slot);
  bool keeps_states() const;
  bool has_beginning(int32_t slot, int64_t count) const;
  void begin_pass(bool is_prompt);
  void release_slot(int32_t slot);
  void park(Slot& slot);
  void add_rows(int32_t slot, std::span<const int32_t> parents);
  Tensor& prompt_states(size_t layer, int64_t cols, DType type);

  DType type_;
  std::vector<Layer> layers_;
  std::vector<Slot> slots_;
  std::vector<SequenceRows> groups_;  // of self-attention, of layers of one pattern each
  std::vector<size_t> group_of_;      // [layers]
  RowPool memory_pool_;
  std::vector<int32_t> added_rows_;   // of the memory of the sequences that were added last
  std::vector<int32_t> added_slots_;  // and their slots
  bool is_prompt_ = false;            // this pass
  std::vector<int32_t> pass_slots_;   // of each row of a step, or segment of prompts
  std::vector<int32_t> state_rows_;   // of Layer::state, that each row of a step continues; or -1
  std::vector<ResumedRow> resumed_;
  RowLists memory_;
  ops::LayoutPtr rows_;
};

}  // namespace weft::nn

#endif  // WEFT_NN_ATTENTION_KV_CACHE_H_
