// BERT (Devlin et al. 2019, arXiv 1810.04805) and what differs from it in names and positions:
// RoBERTa (Liu et al. 2019, arXiv 1907.11692) and XLM-R (Conneau et al. 2020, arXiv 1911.02116).
// Without a head an embedder, with one for sequences a classifier, with one for tokens a tagger,
// with one for masked tokens a masked language model.
#ifndef WEFT_MODEL_FILE_HUGGING_FACE_ENCODERS_BERT_H_
#define WEFT_MODEL_FILE_HUGGING_FACE_ENCODERS_BERT_H_

#include "weft/model_file/hugging_face/architecture.h"

namespace weft::model_file {

extern const Architecture kBert, kBertClassifier, kBertTagger, kBertMaskedLm;
extern const Architecture kRoberta, kRobertaClassifier, kRobertaTagger, kRobertaMaskedLm;
// The same as RoBERTa's, with a Unigram tokeniser.
extern const Architecture kXlmRoberta, kXlmRobertaClassifier, kXlmRobertaTagger,
    kXlmRobertaMaskedLm;

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_HUGGING_FACE_ENCODERS_BERT_H_
