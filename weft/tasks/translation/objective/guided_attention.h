// Guided attention: an additional loss on the decoder's cross-attention.
#ifndef WEFT_TASKS_TRANSLATION_OBJECTIVE_GUIDED_ATTENTION_H_
#define WEFT_TASKS_TRANSLATION_OBJECTIVE_GUIDED_ATTENTION_H_

#include <memory>
#include <string>
#include <vector>

#include "weft/core/files/links.h"
#include "weft/data/batch.h"
#include "weft/models/seq2seq/seq2seq_options.h"
#include "weft/nn/attention/guide.h"
#include "weft/ops/losses/cross_entropy.h"
#include "weft/options/fields.h"

namespace weft::tasks {

struct NoGuide {
  static constexpr std::string_view kName = "none";
};
struct DiagonalGuide {
  static constexpr std::string_view kName = "diagonal";
  static constexpr std::string_view kHelp =
      "a penalty on attention away from the diagonal of the sentence pair (Tachibana et al. 2018, "
      "arXiv 1710.08969)";

  double width = 0.2;

  template <class V>
  void fields(V& v) {
    v("guided-attention-width", width,
      {.help = "g of the diagonal penalty 1 - exp(-(i/T - j/S)^2 / (2 g^2))",
       .min = 0.001,
       .max = 10});
  }
};

struct GuidanceOptions {
  options::OneOf<NoGuide, DiagonalGuide> guided_attention;
  std::vector<std::string> guided_alignment;
  double weight = 0.1;
  std::string heads = "mean";

  template <class V>
  void fields(V& v) {
    options::choice(v, "guided-attention", guided_attention, {.help = "a loss on cross-attention"});
    v("guided-alignment", guided_alignment,
      {.help =
           "files of token alignments in Pharaoh format (0-0 1-2), one for each corpus of "
           "--train-sets: a loss trains cross-attention to follow them (Chen et al. 2016, arXiv "
           "1607.01628)",
       .reads = true,
       .may_change = true});
    v("guided-attention-weight", weight,
      {.help = "weight of the guided attention loss, a mean over target tokens and heads",
       .min = 0,
       .max = 1000});
    v("guided-attention-heads", heads,
      {.help = "decoder heads to guide: comma-separated LAYER.HEAD, counted from 1; "
               "mean: all heads of the last layer"});
  }

  bool is_diagonal() const { return guided_attention.is<DiagonalGuide>(); }
  bool is_on() const { return is_diagonal() || !guided_alignment.empty(); }
  // The name of the active option.
  const char* option() const { return is_diagonal() ? "--guided-attention" : "--guided-alignment"; }
  // Throws OptionError for options that contradict each other or the model's options.
  void validate(const models::Seq2SeqOptions& model) const;
};

// The links of each sentence of a batch.
using BatchLinks = std::shared_ptr<const std::vector<std::vector<Link>>>;

class GuidedAttention {
 public:
  GuidedAttention(const GuidanceOptions& options, const models::Seq2SeqOptions& model);

  // The guide for one pass over a batch. Each target token has weight `weight`, times its element
  // of `row_weights`, if any. `links` are required for --guided-alignment.
  nn::AttentionGuide guide(const data::Batch& batch, const BatchLinks& links, double weight,
                           const ops::RowWeights& row_weights) const;

 private:
  GuidanceOptions options_;
  std::vector<nn::AttentionHead> heads_;
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_TRANSLATION_OBJECTIVE_GUIDED_ATTENTION_H_
