#include "weft/model_file/cross_view.h"

#include "weft/model_file/header.h"
#include "weft/model_file/text_assets.h"

namespace weft::model_file {
namespace {

// What the file says beside the options of the network.
struct CrossViewMetadata {
  models::CrossViewDims dims;
  data::ChannelStatistics pixels, numbers;

  template <class V>
  void fields(V& v, const models::CrossViewOptions&) {
    dims.fields(v);
    pixels.fields(v);
    v("number-mean", numbers.mean, {.min = -1e38, .max = 1e38});
    v("number-deviation", numbers.deviation, {.min = 1e-38, .max = 1e38});
  }
};

}  // namespace

CrossViewSession CrossViewSession::open(ContentsReader& file) {
  const auto header = read_header<CrossViewSession, CrossViewMetadata>(file);
  const auto make = [&] { return models::CrossViewModel(header.options, header.metadata.dims); };
  CrossViewSession session{.model = make_model(file, make),
                           .parameters = {},
                           .pixels = header.metadata.pixels,
                           .numbers = header.metadata.numbers};
  check_statistics(session.pixels, header.metadata.dims.image.channels, "channel", file.path());
  check_statistics(session.numbers, header.metadata.dims.numbers, "number", file.path());
  return session;
}

Contents CrossViewSession::contents() const {
  return contents_of(*this, CrossViewMetadata{model.dims, pixels, numbers}, {});
}

CrossViewSession new_cross_view(const models::CrossViewOptions& options, CrossViewAssets assets,
                                uint64_t seed) {
  CrossViewSession session{.model = models::CrossViewModel(options, assets.dims),
                           .parameters = {},
                           .pixels = std::move(assets.pixels),
                           .numbers = std::move(assets.numbers)};
  initialise(session, seed);
  return session;
}

}  // namespace weft::model_file
