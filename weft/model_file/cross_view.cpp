#include "weft/model_file/cross_view.h"

#include "weft/model_file/header.h"
#include "weft/model_file/text_assets.h"

namespace weft::model_file {
namespace {

// What the file says beside the options of the network.
struct CrossViewMetadata {
  models::CrossViewSizes sizes;
  data::ChannelStatistics pixels, numbers;

  template <class V>
  void fields(V& v, const models::CrossViewOptions&) {
    sizes.fields(v);
    pixels.fields(v);
    v("number-mean", numbers.mean, {.min = -1e38, .max = 1e38});
    v("number-deviation", numbers.deviation, {.min = 1e-38, .max = 1e38});
  }
};

}  // namespace

CrossViewSession CrossViewSession::open(ContentsReader& file) {
  const auto header = read_header<CrossViewSession, CrossViewMetadata>(file);
  const auto make = [&] { return models::CrossViewModel(header.options, header.metadata.sizes); };
  CrossViewSession session{.model = make_model(file, make),
                           .parameters = {},
                           .pixels = header.metadata.pixels,
                           .numbers = header.metadata.numbers};
  check_statistics(session.pixels, header.metadata.sizes.image.channels, "channel", file.path());
  check_statistics(session.numbers, header.metadata.sizes.numbers, "number", file.path());
  return session;
}

Contents CrossViewSession::contents() const {
  return contents_of(*this, CrossViewMetadata{model.sizes, pixels, numbers}, {});
}

CrossViewSession new_cross_view(const models::CrossViewOptions& options, CrossViewAssets assets,
                                uint64_t seed) {
  CrossViewSession session{.model = models::CrossViewModel(options, assets.sizes),
                           .parameters = {},
                           .pixels = std::move(assets.pixels),
                           .numbers = std::move(assets.numbers)};
  initialise(session, seed);
  return session;
}

}  // namespace weft::model_file
