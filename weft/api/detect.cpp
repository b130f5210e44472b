#include "weft/detect.h"

#include "weft/api/inputs.h"
#include "weft/api/loaded_model.h"
#include "weft/api/read_options.h"
#include "weft/predict/detection/detector.h"

namespace weft {

struct Detector::State {
  model_file::DetectorSession session;
  predict::Detector detector;

  State(const Model& model, const predict::DetectorOptions& options)
      : session(api::session_of<model_file::DetectorSession>(model)), detector(session, options) {}

  std::vector<Detection> named(std::vector<predict::PictureObjects> found) const {
    std::vector<Detection> out;
    out.reserve(found.size());
    for (predict::PictureObjects& picture : found) {
      Detection& named = out.emplace_back();
      named.fault = std::move(picture.fault);
      for (const metrics::DetectedBox& one : picture.objects) {
        named.objects.push_back({.label = session.labels.name(one.label),
                                 .score = one.score,
                                 .x = one.box.x,
                                 .y = one.box.y,
                                 .width = one.box.width,
                                 .height = one.box.height});
      }
    }
    return out;
  }
};

Detector::Detector(const Model& model, const Options& options)
    : state_(std::make_shared<const State>(model,
                                           api::read_options<predict::DetectorOptions>(options))) {}

std::vector<Detection> Detector::detect(std::span<const std::string> paths, Report* report) const {
  return detect(api::lines_of(paths), report);
}

std::vector<Detection> Detector::detect(std::span<const Line> lines, Report* report) const {
  return state_->named(api::predict_all(state_->detector, lines, report));
}

const OptionSchema& Detector::schema() { return api::schema_of<predict::DetectorOptions>(); }

std::vector<Detection> Detector::detect(std::span<const Picture> pictures, Report* report) const {
  api::check_pictures(pictures);
  return state_->named(api::predict_all(state_->detector, pictures, report));
}

}  // namespace weft
