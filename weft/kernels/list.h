// Every kernel, once: from this list the backends make their tables. A kernel is a call struct of
// views and numbers, with its name, its cost() and the functions that run it declared beside it.
#ifndef WEFT_KERNELS_LIST_H_
#define WEFT_KERNELS_LIST_H_

namespace weft::kernels {

template <class... K>
struct List {};

using Kernels = List<
    struct Gemm,                                                                     // gemm.h
    struct Pack, struct QuantiseRows, struct PackedProduct, struct PackedEmbedding,  // packed.h
    struct Fill, struct Copy, struct ScatterRows, struct GatherRows, struct Add, struct Multiply,
    struct Divide, struct Scale, struct ScaleRows, struct Accumulate,            // elementwise.h
    struct Activate, struct ActivateBackward, struct Gate, struct GateBackward,  // activation.h
    struct Dropout,                                                              // dropout.h
    struct ColumnSum, struct SumOfSquares, struct RowArgmax,                     // reduce.h
    struct Softmax, struct SoftmaxBackward, struct LogSoftmax, struct LogSoftmaxBackward,
    struct Sinkhorn, struct SinkhornBackward,  // softmax.h
    struct LayerNorm, struct LayerNormBackward, struct RmsNorm, struct RmsNormBackward,
    struct ResidualNorm, struct ColumnMoments, struct BatchNorm,
    struct BatchNormBackward,                                              // norm.h
    struct Embedding, struct EmbeddingBackward, struct Rotary,             // embedding.h
    struct Attention, struct AttentionBackward, struct CachedAttention,    // attention.h
    struct AttentionProbabilities, struct AttentionProbabilitiesBackward,  // score_function.h
    struct LinearAttention, struct LinearAttentionBackward,
    struct LinearAttentionStep,  // linear_attention.h
    struct AdditiveAttention, struct AdditiveAttentionBackward, struct Cell,
    struct CellBackward,                                // recurrent.h
    struct SoftmaxLoss, struct Divergence, struct Ctc,  // loss.h
    struct BinaryCrossEntropy,                          // binary_cross_entropy.h
    struct Crf, struct CrfBackward, struct CrfMarginals, struct CrfDecode,  // crf.h
    struct MaxRows, struct MaxRowsBackward,                                 // max_rows.h
    struct Adam>;                                                           // adam.h

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_LIST_H_
