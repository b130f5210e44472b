// Where a long sound may be cut.
#ifndef WEFT_DATA_AUDIO_SILENCE_H_
#define WEFT_DATA_AUDIO_SILENCE_H_

#include <cstdint>
#include <span>
#include <vector>

namespace weft::data {

inline constexpr int64_t kFramesAround = 5;

// Frames [N, bins] of log-mel as pieces of at most `most` frames: the frame that each piece but the
// first begins with. A cut is where the mean over the frames up to kFramesAround away is lowest in
// the second half of what a piece may hold; of several such frames in a row in their middle.
std::vector<int64_t> cuts_at_silence(std::span<const float> frames, int64_t bins, int64_t most);

}  // namespace weft::data

#endif  // WEFT_DATA_AUDIO_SILENCE_H_
