// Guided attention: a loss on the decoder's attention to the source.
#ifndef WEFT_TASKS_TRANSLATION_OBJECTIVE_GUIDED_ATTENTION_H_
#define WEFT_TASKS_TRANSLATION_OBJECTIVE_GUIDED_ATTENTION_H_

#include <memory>
#include <string>
#include <vector>

#include "weft/core/fields.h"
#include "weft/core/links.h"
#include "weft/data/batch.h"
#include "weft/models/seq2seq_options.h"
#include "weft/nn/attention/guide.h"
#include "weft/ops/cross_entropy.h"

namespace weft::tasks {

struct GuidanceOptions {
  std::string guided_attention = "none";
  std::vector<std::string> guided_alignment;
  double weight = 0.1;
  double width = 0.2;
  std::string heads = "mean";

  template <class V>
  void fields(V& v) {
    v("guided-attention", guided_attention,
      {.help = "diagonal: a loss on attention to the source, the greater the farther from the "
               "diagonal of the sentence pair (Tachibana et al. 2018, arXiv 1710.08969)",
       .choices = "none|diagonal"});
    v("guided-alignment", guided_alignment,
      {.help = "a file for each corpus of --train-sets with the alignment of each line's tokens in "
               "Pharaoh's form, 0-0 1-2: a loss draws attention to it (Chen et al. 2016, arXiv "
               "1607.01628)",
       .reads = true,
       .may_change = true});
    v("guided-attention-weight", weight,
      {.help = "of that loss, a mean over target tokens and heads", .min = 0, .max = 1000});
    v("guided-attention-width", width,
      {.help = "g of the diagonal's loss, 1 - exp(-(i/T - j/S)^2 / (2 g^2))",
       .min = 0.001,
       .max = 10});
    v("guided-attention-heads", heads,
      {.help = "decoder heads that are guided: LAYER.HEAD, counted from 1, several with commas "
               "between them; mean: all of the last layer"});
  }

  bool to_the_diagonal() const { return guided_attention == "diagonal"; }
  bool is_on() const { return to_the_diagonal() || !guided_alignment.empty(); }
  // The one that is on.
  const char* option() const {
    return to_the_diagonal() ? "--guided-attention" : "--guided-alignment";
  }
  // Throws OptionError for options that contradict each other or the model's.
  void validate(const models::Seq2SeqOptions& model) const;
};

// The links of each sentence of a batch.
using BatchLinks = std::shared_ptr<const std::vector<std::vector<Link>>>;

class GuidedAttention {
 public:
  GuidedAttention(const GuidanceOptions& options, const models::Seq2SeqOptions& model);

  // For one pass over a batch, each target token counting `weight` and what `row_weights`, if any,
  // say of it; `links` where alignments guide.
  nn::AttentionGuide guide(const data::Batch& batch, const BatchLinks& links, double weight,
                           const ops::RowWeights& row_weights) const;

 private:
  GuidanceOptions options_;
  std::vector<nn::AttentionHead> heads_;
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_TRANSLATION_OBJECTIVE_GUIDED_ATTENTION_H_
