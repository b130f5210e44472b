// Frames of sounds as a transcriber reads them in training, with random changes.
#ifndef WEFT_TASKS_TRANSCRIPTION_AUGMENTED_FRAMES_H_
#define WEFT_TASKS_TRANSCRIPTION_AUGMENTED_FRAMES_H_

#include <functional>

#include "weft/model_file/transcriber.h"
#include "weft/nn/context.h"
#include "weft/tasks/transcription/options.h"

namespace weft::tasks {

struct FrameAugmentation {
  const TranscriptionOptions& options;
  const model_file::TranscriberAssets& assets;
  // Whether a model can train on this many frames and tokens. A sound that at another speed could
  // not be trained on keeps its own.
  std::function<bool(int64_t frames, std::span<const int32_t> tokens)> fits;
};

// The batch with sounds at other speeds and of other loudness, normalised, with spans and bands set
// to 0: a function of the context's key and of each sound's index in the global update. Out of
// training it is normalised alone.
data::Batch augmented(data::Batch batch, const FrameAugmentation& with, const nn::Context& context);

}  // namespace weft::tasks

#endif  // WEFT_TASKS_TRANSCRIPTION_AUGMENTED_FRAMES_H_
