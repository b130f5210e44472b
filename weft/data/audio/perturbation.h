// Random speed and loudness of training sounds, as changes of their log-mel frames.
#ifndef WEFT_DATA_AUDIO_PERTURBATION_H_
#define WEFT_DATA_AUDIO_PERTURBATION_H_

#include <cstdint>
#include <span>
#include <vector>

#include "weft/data/audio/log_mel.h"

namespace weft::data {

// Frames [N, bins] of the sound played at `speed`, 1 being as it is: about N / speed frames, with
// every frequency times `speed` (Ko et al. 2015, "Audio augmentation for speech recognition", of
// samples). Interpolates linearly between frames and between bins; what would come from beyond the
// highest or lowest bin has its value.
std::vector<float> with_speed(std::span<const float> frames, const LogMelOptions& options,
                              double speed);

// Changes the frames to those of a sound that is louder by `decibels`. Digital silence stays
// silent.
void change_gain(std::span<float> frames, double decibels);

}  // namespace weft::data

#endif  // WEFT_DATA_AUDIO_PERTURBATION_H_
