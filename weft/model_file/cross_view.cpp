#include "weft/model_file/cross_view.h"

#include "weft/model_file/options_in_file.h"
#include "weft/model_file/text_assets.h"

namespace weft::model_file {
namespace {

struct CrossViewHeader {
  int64_t format_version = kFormatVersion;
  std::string type{CrossViewSession::kKind};
  models::CrossViewOptions options;
  models::CrossViewSizes sizes;
  data::ChannelStatistics pixels, numbers;

  template <class V>
  void fields(V& v) {
    v("format-version", format_version, {.min = 1});
    v("type", type);
    InFile<V> in_file{v};
    options.fields(in_file);
    sizes.fields(v);
    pixels.fields(v);
    v("number-mean", numbers.mean, {.min = -1e38, .max = 1e38});
    v("number-deviation", numbers.deviation, {.min = 1e-38, .max = 1e38});
  }
};

}  // namespace

CrossViewSession CrossViewSession::open(ModelFile& file) {
  const auto header = file.header<CrossViewHeader>(kKind);
  const auto make = [&] { return models::CrossViewModel(header.options, header.sizes); };
  CrossViewSession session{.model = make_model(file, make),
                           .parameters = {},
                           .pixels = header.pixels,
                           .numbers = header.numbers};
  check_statistics(session.pixels, header.sizes.image.channels, "channel", file.path());
  check_statistics(session.numbers, header.sizes.numbers, "number", file.path());
  return session;
}

Contents CrossViewSession::contents() const {
  CrossViewHeader header;
  header.options = model.options;
  header.sizes = model.sizes;
  header.pixels = pixels;
  header.numbers = numbers;
  return {options::options_to_json(header), {}};
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
