// What follows from the size of pictures where no option says it.
#ifndef WEFT_TASKS_PICTURE_PATCHES_H_
#define WEFT_TASKS_PICTURE_PATCHES_H_

#include <cstdint>

#include "weft/data/images/image_shape.h"
#include "weft/models/classifier_options.h"

namespace weft::tasks {

// How many patches of a picture are enough: a picture that is labelled as a whole, and one in which
// objects are found.
inline constexpr int64_t kPatchesOfLabels = 200, kPatchesOfObjects = 400;

// The smallest size of 4 to 32 pixels that divides both sides and leaves at most `enough` patches,
// or else the largest that divides both; with convolutions a power of two. Throws OptionError,
// naming --image-size, where there is none.
int64_t patch_size_for(const data::ImageShape& image, bool has_stem, int64_t enough);

// Sets a patch size of 0 to patch_size_for(), and logs it; warns, with the remedy, of more than
// about a thousand patches, whose attention costs the square of their number.
void fit_patches(int64_t& patch_size, const data::ImageShape& image, bool has_stem, int64_t enough);

// Raises --max-positions, where it is the default and the encoder has tables of this size, to the
// rows of a picture.
void fit_positions(nn::PositionOptions& position, const models::EncoderOptions& encoder,
                   int64_t rows);

}  // namespace weft::tasks

#endif  // WEFT_TASKS_PICTURE_PATCHES_H_
