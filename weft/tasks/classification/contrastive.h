// Contrastive learning of a classifier from few examples: the encoder learns from pairs of texts,
// and the output layer from its vectors (SetFit; Tunstall et al. 2022, arXiv 2209.11055).
#ifndef WEFT_TASKS_CLASSIFICATION_CONTRASTIVE_H_
#define WEFT_TASKS_CLASSIFICATION_CONTRASTIVE_H_

#include "weft/data/batch.h"
#include "weft/models/classifier.h"

namespace weft::tasks {

// Of B vectors [B, C] with labels: the cosine of two texts that share labels should be the share of
// these in the labels of both (Jaccard), 1 of one label, and that of others 0:
//   loss = mean over pairs with a common label of (cos - share)^2 + mean over the others of cos^2.
// `value` is weight * B * loss and `total` B * loss; a mean over no pairs is 0. Computed in F32
// where vectors are BF16.
ops::Loss pair_loss(const Tensor& vectors, const data::Labels& labels, double weight,
                    ops::Tape* tape);

// Of a classifier with one label or several: pair_loss() of the vectors, which trains the encoder,
// plus the classifier's own loss, which trains its output layer alone.
ops::Loss contrastive_loss(const models::Classifier& model, const data::Batch& batch,
                           const models::ClassifierLoss& params, const nn::Context& context);

}  // namespace weft::tasks

#endif  // WEFT_TASKS_CLASSIFICATION_CONTRASTIVE_H_
