// Transcribers of speech as files, with their tokeniser, how sound becomes frames, and the frames'
// statistics.
#ifndef WEFT_MODEL_FILE_TRANSCRIBER_H_
#define WEFT_MODEL_FILE_TRANSCRIBER_H_

#include "weft/data/audio/frame_norm.h"
#include "weft/data/audio/log_mel.h"
#include "weft/data/features/channel_statistics.h"
#include "weft/data/text/tokeniser.h"
#include "weft/model_file/session.h"
#include "weft/models/transcriber.h"

namespace weft::model_file {

// What the training data fixes of a transcriber, beside its sizes.
struct TranscriberAssets {
  data::TokeniserPtr tokeniser;
  data::LogMelOptions log_mel = {};
  data::FrameNorms frame_norm = {};
  data::ChannelStatistics statistics = {};  // of each mel bin, in training

  // As the model reads them.
  data::Features normalised(data::Features frames) const;
};

struct TranscriberSession {
  static constexpr std::string_view kKind = "transcriber";

  models::Transcriber model;
  Tensor parameters;  // [P], flat, in visiting order; empty where packed
  TranscriberAssets assets;

  static TranscriberSession open(ContentsReader& file);
  Contents contents() const;
  const data::Tokeniser& tokeniser() const { return *assets.tokeniser; }
};

// Throws OptionError if the options contradict each other.
TranscriberSession new_transcriber(const models::TranscriberOptions& options,
                                   TranscriberAssets assets, uint64_t seed);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_TRANSCRIBER_H_
