// SpecAugment: bands of frequencies and spans of time are left out of training examples (Park et
// al. 2019, arXiv 1904.08779), without its warping of time.
#ifndef WEFT_DATA_AUDIO_SPEC_AUGMENT_H_
#define WEFT_DATA_AUDIO_SPEC_AUGMENT_H_

#include <cstdint>
#include <span>

#include "weft/core/random.h"
#include "weft/options/fields.h"

namespace weft::data {

struct SpecAugmentOptions {
  int64_t frequency_masks = 2;
  int64_t frequency_mask_bins = 0;
  int64_t time_masks = 2;
  int64_t time_mask_frames = 40;
  double time_mask_share = 0.2;

  template <class V>
  void fields(V& v) {
    v("frequency-masks", frequency_masks,
      {.help = "bands of mel bins that are left out of each training example",
       .min = 0,
       .max = 100});
    v("frequency-mask-bins", frequency_mask_bins,
      {.help = "widest of them, in bins; 0: a quarter of all", .min = 0, .max = 1024});
    v("time-masks", time_masks,
      {.help = "spans of frames that are left out of each training example", .min = 0, .max = 100});
    v("time-mask-frames", time_mask_frames,
      {.help = "longest of them, in frames", .min = 0, .max = 1e6});
    v("time-mask-share", time_mask_share,
      {.help = "longest of them, as a share of the example's frames", .min = 0, .max = 1});
  }
};

// Sets bands and spans of one example's frames [N, bins] to 0, the mean of normalised frames.
void spec_augment(std::span<float> frames, int64_t bins, const SpecAugmentOptions& options,
                  RandomStream& random);

}  // namespace weft::data

#endif  // WEFT_DATA_AUDIO_SPEC_AUGMENT_H_
