// Random changes of pictures with boxes, in training.
#ifndef WEFT_TASKS_DETECTION_AUGMENTED_PICTURES_H_
#define WEFT_TASKS_DETECTION_AUGMENTED_PICTURES_H_

#include "weft/data/images/augmentation.h"
#include "weft/nn/context.h"

namespace weft::tasks {

struct PictureAugmentation {
  const data::AugmentationOptions& options;
  const data::ImageShape& shape;
  const data::ChannelStatistics& statistics;
};

// Moves the boxes of a batch (data::LabelledBoxes) with its pictures. Of a box that reaches beyond
// the border then, what is inside remains; less than a quarter of it is no object any more. A
// function of the context's key and of each picture's index in the global update.
data::Batch augmented(data::Batch batch, const PictureAugmentation& with,
                      const nn::Context& context);

}  // namespace weft::tasks

#endif  // WEFT_TASKS_DETECTION_AUGMENTED_PICTURES_H_
