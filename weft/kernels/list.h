// The list of all kernels, from which the backends build their tables. A kernel is a call struct of
// views and numbers with kName and cost(), declared together with the functions that run it.
#ifndef WEFT_KERNELS_LIST_H_
#define WEFT_KERNELS_LIST_H_

namespace weft::kernels {

template <class... K>
struct List {};

using Kernels = List<
    // gemm.h
    struct Gemm,
    // packed.h
    struct Pack, struct QuantiseRows, struct PackedProduct, struct PackedEmbedding,
    // blocks.h
    struct QuantiseBlocks, struct PackBlocks,
    // elementwise.h
    struct Fill, struct Copy, struct ScatterRows, struct GatherRows, struct Add, struct Multiply,
    struct Divide, struct Scale, struct ScaleRows, struct Accumulate,
    // activation.h
    struct Activate, struct ActivateBackward, struct Gate, struct GateBackward,
    // dropout.h
    struct Dropout,
    // reduce.h
    struct ColumnSum, struct SumOfSquares, struct RowArgmax,
    // softmax.h
    struct Softmax, struct SoftmaxBackward, struct LogSoftmax, struct LogSoftmaxBackward,
    struct Sinkhorn, struct SinkhornBackward,
    // norm.h
    struct LayerNorm, struct LayerNormBackward, struct RmsNorm, struct RmsNormBackward,
    struct ResidualNorm, struct ColumnMoments, struct BatchNorm, struct BatchNormBackward,
    // embedding.h
    struct Embedding, struct EmbeddingBackward, struct Rotary,
    // attention.h
    struct Attention, struct AttentionBackward, struct CachedAttention,
    // score_function.h
    struct AttentionProbabilities, struct AttentionProbabilitiesBackward,
    // linear_attention.h
    struct LinearAttention, struct LinearAttentionBackward, struct LinearAttentionStep,
    // recurrent.h
    struct AdditiveAttention, struct AdditiveAttentionBackward, struct Cell, struct CellBackward,
    // loss.h
    struct SoftmaxLoss, struct Divergence, struct Ctc,
    // binary_cross_entropy.h
    struct BinaryCrossEntropy,
    // box_loss.h
    struct BoxLoss,
    // crf.h
    struct Crf, struct CrfBackward, struct CrfMarginals, struct CrfDecode,
    // max_rows.h
    struct MaxRows, struct MaxRowsBackward,
    // unlikelihood.h
    struct Unlikelihood,
    // adam.h
    struct Adam,
    // sgd.h
    struct Sgd>;

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_LIST_H_
