#include "weft/model_file/detector.h"

#include "weft/model_file/header.h"
#include "weft/model_file/text_assets.h"

namespace weft::model_file {
namespace {

// What the file says beside the options of the network.
struct DetectorMetadata {
  models::DetectorDims dims;
  data::ChannelStatistics statistics;

  template <class V>
  void fields(V& v, const models::DetectorOptions&) {
    dims.fields(v);
    statistics.fields(v);
  }
};

}  // namespace

DetectorSession DetectorSession::open(ContentsReader& file) {
  const auto header = read_header<DetectorSession, DetectorMetadata>(file);
  const auto make = [&] { return models::Detector(header.options, header.metadata.dims); };
  DetectorSession session{.model = make_model(file, make),
                          .parameters = {},
                          .labels = read_label_sets(file, 1).front(),
                          .statistics = header.metadata.statistics};
  check_statistics(header.metadata.statistics, header.metadata.dims.image.channels, "channel",
                   file.path());
  check_text_assets({.labels = {session.labels}}, 0, {header.metadata.dims.labels}, file.path());
  return session;
}

Contents DetectorSession::contents() const {
  return contents_of(*this, DetectorMetadata{model.dims, statistics},
                     assets_of({.labels = {labels}}));
}

DetectorSession new_detector(const models::DetectorOptions& options, DetectorAssets assets,
                             uint64_t seed) {
  const models::DetectorDims dims{.image = assets.image, .labels = assets.labels.size()};
  DetectorSession session{.model = models::Detector(options, dims),
                          .parameters = {},
                          .labels = std::move(assets.labels),
                          .statistics = std::move(assets.statistics)};
  initialise(session, seed);
  return session;
}

}  // namespace weft::model_file
