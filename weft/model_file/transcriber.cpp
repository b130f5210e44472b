#include "weft/model_file/transcriber.h"

#include "weft/model_file/header.h"
#include "weft/model_file/text_assets.h"

namespace weft::model_file {
namespace {

// What the file says beside the options of the network.
struct TranscriberMetadata {
  models::TranscriberDims dims;
  data::LogMelOptions log_mel;
  data::FrameNorms frame_norm;
  data::ChannelStatistics statistics;

  template <class V>
  void fields(V& v, const models::TranscriberOptions&) {
    dims.fields(v);
    log_mel.fields(v);
    data::frame_norm_field(v, frame_norm);
    statistics.fields(v);
  }
};

void check(const TranscriberMetadata& metadata, const std::string& path) {
  const int64_t bins = metadata.log_mel.mel_bins;
  if (metadata.dims.bins != bins) {
    fail<FormatError>(path, "frames of {} numbers; expected {}, the number of mel-bins",
                      metadata.dims.bins, bins);
  }
  check_statistics(metadata.statistics, bins, "channel", path);
}

}  // namespace

data::Features TranscriberAssets::normalised(data::Features frames) const {
  return frame_norm.visit(
      [&](const auto& norm) { return norm.normalise(std::move(frames), statistics); });
}

TranscriberSession TranscriberSession::open(ContentsReader& file) {
  const auto header = read_header<TranscriberSession, TranscriberMetadata>(file);
  const auto make = [&] {
    header.metadata.log_mel.check();
    return models::Transcriber(header.options, header.metadata.dims);
  };
  TranscriberSession session{
      .model = make_model(file, make),
      .parameters = {},
      .assets = {read_vocabulary(file, kTargetVocabulary), header.metadata.log_mel,
                 header.metadata.frame_norm, header.metadata.statistics}};
  check(header.metadata, file.path());
  if (session.tokeniser().size() != header.metadata.dims.vocab) {
    fail<FormatError>(file.path(), "a vocabulary of {} entries; expected {}, as in the options",
                      session.tokeniser().size(), header.metadata.dims.vocab);
  }
  return session;
}

Contents TranscriberSession::contents() const {
  return contents_of(
      *this, TranscriberMetadata{model.dims, assets.log_mel, assets.frame_norm, assets.statistics},
      {{kTargetVocabulary, tokeniser().serialise()}});
}

TranscriberSession new_transcriber(const models::TranscriberOptions& options,
                                   TranscriberAssets assets, uint64_t seed) {
  const data::Tokeniser& tokeniser = *assets.tokeniser;
  const models::TranscriberDims dims{.bins = assets.log_mel.mel_bins,
                                     .vocab = tokeniser.size(),
                                     .begin_id = tokeniser.begin_id(),
                                     .end_id = tokeniser.end_id()};
  TranscriberSession session{
      .model = models::Transcriber(options, dims), .parameters = {}, .assets = std::move(assets)};
  initialise(session, seed);
  return session;
}

}  // namespace weft::model_file
