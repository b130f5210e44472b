// Batches of pictures with the random changes of training.
#ifndef WEFT_TASKS_CLASSIFICATION_AUGMENTED_BATCH_H_
#define WEFT_TASKS_CLASSIFICATION_AUGMENTED_BATCH_H_

#include "weft/data/images/augmentation.h"
#include "weft/data/labels/labelled_dataset.h"
#include "weft/nn/context.h"

namespace weft::tasks {

struct Augmentation {
  const data::AugmentationOptions& options;
  double mix_up = 0;  // the parameter of the beta distribution of shares; 0: none
  const data::ImageShape& shape;
  const data::ChannelStatistics& statistics;
  const data::LabelledDataset& training;  // pictures that others are averaged with
};

// A function of the context's key and of each picture's index in the global update. With mix-up the
// batch has a third field: Labels with the label of the other picture, and as values the share of
// the picture itself.
data::Batch augmented(data::Batch batch, const Augmentation& with, const nn::Context& context);

}  // namespace weft::tasks

#endif  // WEFT_TASKS_CLASSIFICATION_AUGMENTED_BATCH_H_
