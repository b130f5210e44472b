#include "weft/predict/detection/detector.h"

#include <fmt/format.h>

#include "weft/api/evaluate/evaluations.h"
#include "weft/api/loaded_model.h"
#include "weft/core/log.h"
#include "weft/predict/detection/objects.h"
#include "weft/tasks/detection/options.h"

namespace weft::api {
namespace {

using DetectorOptionsOfEvaluation =
    EvaluationOptions<predict::DetectorOptions, tasks::BoxFileOptions>;

// {"label": "cup", "box": [x, y, width, height]}, shares of the picture's width and height.
Json json_of(const std::string& label, const data::Box& box) {
  return {{"label", label},
          {"box", {rounded(box.x), rounded(box.y), rounded(box.width), rounded(box.height)}}};
}

void pass_predictions(const predict::ComparedObjects& compared, const data::LabelSet& labels,
                      const EvaluationInput& in) {
  for (size_t i = 0; in.on_prediction && i < compared.found.size(); ++i) {
    Json expected = Json::array(), boxes = Json::array();
    for (const metrics::ExpectedBox& box : compared.expected[i]) {
      expected.push_back(json_of(labels.name(box.label), box.box));
    }
    for (const metrics::DetectedBox& box : compared.found[i]) {
      boxes.push_back(json_of(labels.name(box.label), box.box));
      boxes.back()["score"] = shortest(static_cast<float>(box.score));
    }
    in.pass({{"expected", std::move(expected)}, {"boxes", std::move(boxes)}});
  }
}

Json json_of(const metrics::PrecisionReport& found, const data::LabelSet& labels) {
  Json out{{"ap", found.mean}, {"ap50", found.at_50}, {"ap75", found.at_75}};
  out["labels"] = Json::object();
  for (int32_t label = 0; label < labels.size(); ++label) {
    const metrics::LabelPrecision& of_label = found.labels[static_cast<size_t>(label)];
    if (of_label.expected == 0) continue;
    out["labels"][std::string(labels.name(label))] = {{"ap", of_label.mean()},
                                                      {"ap50", of_label.at_50()},
                                                      {"recall", of_label.recall},
                                                      {"boxes", of_label.expected}};
  }
  return out;
}

}  // namespace

ModelEvaluation evaluate_detector(const EvaluationInput& in) {
  const auto given = read_options<DetectorOptionsOfEvaluation>(in.options);
  const auto& session = session_of<model_file::DetectorSession>(only(in));
  const data::LabelledBoxes pictures(
      in.files,
      given.evaluation.params(session.model.dims.image, session.model.options.image.patch_size),
      session.labels);
  log::info("{}", pictures.report());
  const predict::ComparedObjects compared = predict::compare_objects(session, pictures);
  const metrics::PrecisionReport found = predict::evaluate_objects(compared, session.labels.size());
  pass_predictions(compared, session.labels, in);
  return {
      .text = fmt::format("AP at IoU 0.5 {:.4f}, at 0.75 {:.4f}, at 0.5:0.95 {:.4f}\n\n{}",
                          found.at_50, found.at_75, found.mean, found.text(session.labels.names())),
      .json = json_page(json_of(found, session.labels))};
}

const OptionSchema& detector_evaluation_schema() { return schema_of<tasks::BoxFileOptions>(); }

}  // namespace weft::api
