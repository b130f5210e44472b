// Several labels of a text one after another: a sequence-to-sequence model whose target tokens are
// the labels (Yang et al. 2018, arXiv 1806.04822), the most frequent first.
#ifndef WEFT_MODELS_LABEL_SEQUENCE_H_
#define WEFT_MODELS_LABEL_SEQUENCE_H_

#include "weft/models/classifier_options.h"
#include "weft/models/seq2seq/seq2seq.h"

namespace weft::models {

// Target tokens are the labels, then the end and the begin symbol.
Seq2Seq make_label_sequence(const ClassifierOptions& options, const ClassifierSizes& sizes);

// A text with its labels as a source and a target that ends with the end symbol; the source's
// tokens as the encoder is to read them.
data::Batch label_sequence_batch(const data::Batch& batch, std::vector<int32_t> source_ids,
                                 const Seq2Seq& model);

}  // namespace weft::models

#endif  // WEFT_MODELS_LABEL_SEQUENCE_H_
