// Low-rank updates of linear maps (LoRA, Hu et al. 2021, arXiv 2106.09685), also called adapters:
//   y = W x + scale * B A dropout(x)
#ifndef WEFT_NN_LOW_RANK_H_
#define WEFT_NN_LOW_RANK_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weft/nn/context.h"
#include "weft/nn/parameters.h"

namespace weft::nn {

// The RNG stream ids of dropout before updates, beyond those of modules: that of the i-th linear
// map of a model is kLowRankStreams + i.
inline constexpr uint32_t kLowRankStreams = 0x800000;

// A linear map and the rank of its update.
struct LowRankTarget {
  std::string name;  // of the weight: "model.decoder.layers.0.self_attn.q_proj.weight"
  int64_t rank = 0;
};

// Returns the parameters that may have an update: the weights of the linear maps in attention and
// in feed-forward networks.
std::vector<NamedParameter> linear_maps(const std::vector<NamedParameter>& parameters);

// "model.layers.0.fc1.weight" -> "model.layers.0.fc1.lora_a.weight" of A, "...lora_b.weight" of B.
std::string down_name(std::string_view weight);
std::string up_name(std::string_view weight);

struct LowRankParams {
  double scale = 1;
  double dropout = 0;
};

// Gives the targets updates, which have no memory yet, and freezes all `parameters`. Throws
// OptionError for a target that is none of linear_maps() and one that has an update.
void add_low_rank(const std::vector<NamedParameter>& parameters,
                  const std::vector<LowRankTarget>& targets, const LowRankParams& params);

// The parameters of the updates: those A of all maps, in the order of `parameters`, then those B.
std::vector<NamedParameter> low_rank_parameters(const std::vector<NamedParameter>& parameters);

// Adds scale * B A to the values of the weights that have an update, in F32, and removes it. The
// values must be writable.
void merge_low_rank(const std::vector<NamedParameter>& parameters);

// y [N, D_out], the product of the weights for x [N, D_in], with their updates added in place. The
// weights' updates are of one adapter; dropout is of x.
Tensor with_low_rank(const Tensor& y, const Tensor& x, ContiguousParameters weights,
                     const ops::DropoutParams& dropout, autograd::Tape* tape);

bool has_low_rank(ContiguousParameters weights);
// The dropout before the updates of these weights; idle where there is none.
ops::DropoutParams low_rank_dropout(ContiguousParameters weights, const ops::LayoutPtr& rows,
                                    const Context& context);

}  // namespace weft::nn

#endif  // WEFT_NN_LOW_RANK_H_
