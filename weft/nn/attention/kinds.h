// All kinds of self-attention: each is its own pair of files and one line here. Included only where
// a kind is named; the rest has kind_choice.h and any_kind.h.
#ifndef WEFT_NN_ATTENTION_KINDS_H_
#define WEFT_NN_ATTENTION_KINDS_H_

#include <utility>
#include <variant>

#include "weft/nn/attention/dot_product.h"
#include "weft/nn/attention/kind_choice.h"
#include "weft/nn/attention/kinds/average.h"
#include "weft/nn/attention/kinds/block_sparse.h"
#include "weft/nn/attention/kinds/clustered.h"
#include "weft/nn/attention/kinds/linear_attention.h"
#include "weft/nn/attention/kinds/linformer.h"
#include "weft/nn/attention/kinds/local.h"
#include "weft/nn/attention/kinds/sinkhorn.h"
#include "weft/nn/attention/kinds/synthesizer.h"

namespace weft::nn {

using ListedAttentionKinds =
    options::OneOf<FullAttentionOptions, LocalAttentionOptions, BlockSparseOptions,
                   LinearAttentionOptions, UnnormalisedLinearAttentionOptions,
                   AverageAttentionOptions, LinformerOptions, DenseSynthesizerOptions,
                   RandomSynthesizerOptions, ClusteredOptions, SinkhornOptions>;

// What AttentionKinds holds: the selected kind and the options of all.
struct AttentionChoice : ListedAttentionKinds {
  using ListedAttentionKinds::OneOf;
};

// What AttentionKind holds: the module of one of them.
struct AttentionVariant : options::VariantMadeFrom<ListedAttentionKinds, AttentionDims> {
  using variant::variant;
};

template <class Kind>
AttentionKinds::AttentionKinds(Kind kind) : choice_(AttentionChoice(std::move(kind))) {}

template <class Kind>
AttentionKind::AttentionKind(Kind kind) : module_(AttentionVariant(std::move(kind))) {}

}  // namespace weft::nn

#endif  // WEFT_NN_ATTENTION_KINDS_H_
