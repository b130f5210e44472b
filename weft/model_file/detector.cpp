#include "weft/model_file/detector.h"

#include "weft/model_file/options_in_file.h"
#include "weft/model_file/text_assets.h"

namespace weft::model_file {
namespace {

struct DetectorHeader {
  int64_t format_version = kFormatVersion;
  std::string type{DetectorSession::kKind};
  models::DetectorOptions options;
  models::DetectorSizes sizes;
  data::ChannelStatistics statistics;

  template <class V>
  void fields(V& v) {
    v("format-version", format_version, {.min = 1});
    v("type", type);
    InFile<V> in_file{v};
    options.fields(in_file);
    sizes.fields(v);
    statistics.fields(v);
  }
};

}  // namespace

DetectorSession DetectorSession::open(ModelFile& file) {
  const auto header = file.header<DetectorHeader>(kKind);
  const auto make = [&] { return models::Detector(header.options, header.sizes); };
  DetectorSession session{.model = make_model(file, make),
                          .parameters = {},
                          .labels = read_label_sets(file, 1).front(),
                          .statistics = header.statistics};
  check_statistics(header.statistics, header.sizes.image.channels, "channel", file.path());
  check_text_assets({.labels = {session.labels}}, 0, {header.sizes.labels}, file.path());
  return session;
}

Contents DetectorSession::contents() const {
  DetectorHeader header;
  header.options = model.options;
  header.sizes = model.sizes;
  header.statistics = statistics;
  return {options::options_to_json(header), assets_of({.labels = {labels}})};
}

DetectorSession new_detector(const models::DetectorOptions& options, DetectorAssets assets,
                             uint64_t seed) {
  const models::DetectorSizes sizes{.image = assets.image, .labels = assets.labels.size()};
  DetectorSession session{.model = models::Detector(options, sizes),
                          .parameters = {},
                          .labels = std::move(assets.labels),
                          .statistics = std::move(assets.statistics)};
  initialise(session, seed);
  return session;
}

}  // namespace weft::model_file
