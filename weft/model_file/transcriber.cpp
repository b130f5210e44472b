#include "weft/model_file/transcriber.h"

#include "weft/model_file/options_in_file.h"
#include "weft/model_file/text_assets.h"

namespace weft::model_file {
namespace {

struct TranscriberHeader {
  int64_t format_version = kFormatVersion;
  std::string type{TranscriberSession::kKind};
  models::TranscriberOptions options;
  models::TranscriberSizes sizes;
  data::LogMelOptions log_mel;
  data::FrameNorms frame_norm;
  data::ChannelStatistics statistics;

  template <class V>
  void fields(V& v) {
    v("format-version", format_version, {.min = 1});
    v("type", type);
    InFile<V> in_file{v};
    options.fields(in_file);
    sizes.fields(v);
    log_mel.fields(v);
    data::frame_norm_field(v, frame_norm);
    statistics.fields(v);
  }
};

void check(const TranscriberHeader& header, const std::string& path) {
  const int64_t bins = header.log_mel.mel_bins;
  if (header.sizes.bins != bins) {
    fail<FormatError>(path, "frames of {} numbers; expected {}, the number of mel-bins",
                      header.sizes.bins, bins);
  }
  check_statistics(header.statistics, bins, "channel", path);
}

}  // namespace

data::Features TranscriberAssets::normalised(data::Features frames) const {
  return frame_norm.visit(
      [&](const auto& norm) { return norm.normalise(std::move(frames), statistics); });
}

TranscriberSession TranscriberSession::open(ModelFile& file) {
  const auto header = file.header<TranscriberHeader>(kKind);
  const auto make = [&] {
    header.log_mel.check();
    return models::Transcriber(header.options, header.sizes);
  };
  TranscriberSession session{.model = make_model(file, make),
                             .parameters = {},
                             .assets = {read_vocabulary(file, kTargetVocabulary), header.log_mel,
                                        header.frame_norm, header.statistics}};
  check(header, file.path());
  if (session.tokeniser().size() != header.sizes.vocab) {
    fail<FormatError>(file.path(), "a vocabulary of {} entries; expected {}, as in the options",
                      session.tokeniser().size(), header.sizes.vocab);
  }
  return session;
}

Contents TranscriberSession::contents() const {
  TranscriberHeader header;
  header.options = model.options;
  header.sizes = model.sizes;
  header.log_mel = assets.log_mel;
  header.frame_norm = assets.frame_norm;
  header.statistics = assets.statistics;
  return {options::options_to_json(header), {{kTargetVocabulary, tokeniser().serialise()}}};
}

TranscriberSession new_transcriber(const models::TranscriberOptions& options,
                                   TranscriberAssets assets, uint64_t seed) {
  const data::Tokeniser& tokeniser = *assets.tokeniser;
  const models::TranscriberSizes sizes{.bins = assets.log_mel.mel_bins,
                                       .vocab = tokeniser.size(),
                                       .begin_id = tokeniser.begin_id(),
                                       .end_id = tokeniser.end_id()};
  TranscriberSession session{
      .model = models::Transcriber(options, sizes), .parameters = {}, .assets = std::move(assets)};
  initialise(session, seed);
  return session;
}

}  // namespace weft::model_file
