#include "weft/inspect/kinds/cross_view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "weft/data/images/png.h"
#include "weft/data/text/tab_fields.h"
#include "weft/data/views/pair_list.h"
#include "weft/inspect/pictures.h"
#include "weft/inspect/trace_maps.h"
#include "weft/predict/cross_view/view_predictors.h"

namespace weft::inspect {
namespace {

enum : size_t { kVisible, kFirst, kSecond };  // the axes of an example
constexpr uint64_t kMaskSeed = 1;

// A data set of one pair.
class OnePair : public data::ViewPairs {
 public:
  OnePair(const ModelPicture& first, const ModelPicture& second, std::vector<float> numbers,
          const data::ImageShape& shape, int64_t patch)
      : ViewPairs(shape, patch),
        pair_{{first.pixels.begin(), first.pixels.end()},
              {second.pixels.begin(), second.pixels.end()},
              std::move(numbers)} {}

  int64_t size() const override { return 1; }
  uint64_t fingerprint() const override { return 0; }
  data::ViewPair pair(int64_t, RandomStream&) const override { return pair_; }
  int64_t numbers() const override { return std::ssize(pair_.numbers); }
  data::ChannelStatistics statistics() const override { return {}; }
  data::ChannelStatistics number_statistics() const override { return {}; }
  std::string report() const override { return {}; }

 private:
  data::ViewPair pair_;
};

double mask_ratio_of(const models::CrossViewOptions& options) {
  const auto* completion = options.objective.get_if<models::CompletionObjective>();
  return completion != nullptr ? completion->mask_ratio : 0;
}

// The patches of the first view that the encoder sees.
PatchAxis visible_axis(PatchAxis all, std::span<const int32_t> masked) {
  std::erase_if(all.patches,
                [&](int32_t patch) { return std::ranges::binary_search(masked, patch); });
  return all;
}

void add_completion(const model_file::CrossViewSession& session, const data::ViewPairs& pair,
                    Example& out) {
  const predict::Completer completer(
      session, {.mask_ratio = mask_ratio_of(session.model.options), .seed = kMaskSeed});
  Report report;
  const CompletedView found = predict::predict(completer, predict::pairs_of(pair), report).front();
  out.pictures = {{"first view, masked", data::encode_png(found.masked)},
                  {"completed", data::encode_png(found.completed)},
                  {"first view", data::encode_png(found.first)}};
  if (!session.model.options.has_second_view()) return;
  out.pictures.push_back({"second view", data::encode_png(found.second)});
}

void add_motion(const model_file::CrossViewSession& session, const data::ViewPairs& pair,
                Example& out) {
  Report report;
  const predict::PredictedNumbers found =
      predict::predict(predict::MotionPredictor(session, {}), predict::pairs_of(pair), report)
          .front();
  std::string text;
  for (const float number : found.predicted) text += fmt::format(" {:.4g}", number);
  out.note = "predicted motion:" + text;
}

// The attention of one of the encoder's two inputs, which are sentences of one batch.
std::vector<AttentionMaps> encoder_maps(const nn::AttentionTrace& trace, int64_t view) {
  const size_t axis = view == 0 ? kVisible : kSecond;
  std::vector<AttentionMaps> out =
      maps_of(trace, view, [&](const nn::AttentionKey& key) -> std::optional<MapAxes> {
        if (key.stack != "encoder") return std::nullopt;
        return MapAxes{axis, axis};
      });
  for (AttentionMaps& maps : out) {
    maps.stack = view == 0 ? "first view's encoder" : "second view's encoder";
  }
  return out;
}

std::vector<AttentionMaps> decoder_maps(const nn::AttentionTrace& trace) {
  return maps_of(trace, 0, [](const nn::AttentionKey& key) -> std::optional<MapAxes> {
    if (key.stack == "encoder") return std::nullopt;
    const size_t queries = key.stack == "decoder" ? kFirst : kSecond;
    const size_t other = queries == kFirst ? kSecond : kFirst;
    return MapAxes{queries, key.role == nn::AttentionRole::kSelf ? queries : other};
  });
}

}  // namespace

Example inspect(const model_file::CrossViewSession& session, std::string_view line,
                const InspectionOptions&) {
  const models::CrossViewModel& model = session.model;
  Example out{.name = {}, .input = std::string(line)};
  const data::ListedPair listed = data::parse_pair(line, "pair");
  const data::ImageShape& shape = model.dims.image;
  const int64_t patch = model.options.patch_size;
  const ModelPicture first = read_picture(listed.first, shape);
  const ModelPicture second = read_picture(listed.second, shape);
  const OnePair pair(first, second, listed.numbers, shape, patch);
  const predict::ViewParams params{
      .session = session, .pairs = pair, .mask_ratio = mask_ratio_of(model.options)};
  const predict::DrawnExample example;
  const models::ViewBatch views = predict::view_batch(params, {&example, 1}, 0, {kMaskSeed, 0});
  nn::AttentionTrace trace;
  nn::Context context;
  context.observer = &trace;
  model.options.is_completion() ? model.completion(views, context) : model.motion(views, context);
  const PatchAxis all = patch_axis(first.png, shape, patch, false);
  out.axes = {{"visible patches", visible_axis(all, views.masked[0])}, {"first view", all}};
  if (model.options.has_second_view()) {
    out.axes.push_back({"second view", patch_axis(second.png, shape, patch, false)});
  }
  out.attentions = decoder_maps(trace);
  for (int64_t view = 0; view < (model.options.has_second_view() ? 2 : 1); ++view) {
    std::ranges::move(encoder_maps(trace, view), std::back_inserter(out.attentions));
  }
  model.options.is_completion() ? add_completion(session, pair, out)
                                : add_motion(session, pair, out);
  return out;
}

std::string in_folder(const model_file::CrossViewSession&, const std::string& line,
                      const std::string& folder) {
  const std::vector<std::string_view> given = data::tab_fields(line);
  std::vector<std::string> fields(given.begin(), given.end());
  constexpr size_t kViews = 2;
  for (size_t i = 0; i < std::min(kViews, fields.size()); ++i) {
    fields[i] = (std::filesystem::path(folder) / fields[i]).string();
  }
  return fmt::format("{}", fmt::join(fields, "\t"));
}

std::vector<PositionMaps> positions_of(const model_file::CrossViewSession& session) {
  const models::CrossViewModel& model = session.model;
  const ops::LayoutPtr rows = rows_of_patches(model.dims.image, model.options.patch_size);
  return position_maps({{"encoder", model.encoder.position, model.encoder.options, rows},
                        {"decoder", model.position, model.options.decoder_layers(), rows}});
}

void check_options(const model_file::CrossViewSession&, const InspectionOptions& options) {
  check_read(options, {}, "with a model of two views");
}

}  // namespace weft::inspect
