// The options of a Transformer's layers.
#ifndef WEFT_NN_TRANSFORMER_OPTIONS_H_
#define WEFT_NN_TRANSFORMER_OPTIONS_H_

#include <string>
#include <vector>

#include "weft/nn/attention/options.h"
#include "weft/nn/attention/pruning.h"
#include "weft/nn/feed_forward.h"
#include "weft/nn/norm.h"

namespace weft::nn {

struct TransformerOptions {
  AttentionOptions attention = {};
  FeedForwardOptions feed_forward = {};
  NormOptions norm = {};
  std::string residual_scale = "1";
  double drop_path = 0;
  std::vector<int64_t> tied_layers = {};
  PruningOptions pruning = {};
  double dropout = 0.1;

  bool has_dropout() const {
    return dropout > 0 || attention.dropout > 0 || feed_forward.dropout > 0 || drop_path > 0;
  }
  bool is_deepnorm() const { return residual_scale == kDeepNorm; }
  // The number that --residual-scale is where it is not deepnorm; throws OptionError for other
  // text.
  double residual_factor() const;
  // Throws OptionError for options that contradict each other.
  void check() const;

  template <class V>
  void fields(V& v) {
    attention.fields(v);
    feed_forward.fields(v);
    norm.fields(v);
    v("residual-scale", residual_scale,
      {.help = "factor on the residual of each sublayer: a number from 1e-6 to 1e6, or deepnorm, "
               "which derives it and the initial values from the depths (Wang et al. 2022, arXiv "
               "2203.00555)"});
    v("drop-path", drop_path,
      {.help = "stochastic depth: the probability, in training, that the last layer's sublayers "
               "add nothing to a sequence; lower in earlier layers (Huang et al. 2016, arXiv "
               "1603.09382)",
       .min = 0,
       .max = 0.99});
    v("tied-layers", tied_layers,
      {.help = "for each layer of a stack, the one, from 1, whose weights it has, as in 1 1 3 3; "
               "1 alone: all layers share one set (Dehghani et al. 2019, arXiv 1807.03819)",
       .min = 1,
       .max = 1000,
       .alias = "transformer-tied-layers"});
    pruning.fields(v);
    v("transformer-dropout", dropout,
      {.help = "dropout of embeddings and of what sublayers add", .min = 0, .max = 0.99});
  }

 private:
  static constexpr std::string_view kDeepNorm = "deepnorm";
};

}  // namespace weft::nn

#endif  // WEFT_NN_TRANSFORMER_OPTIONS_H_
