// Inputs as predictors read them, and the predictions.
#ifndef WEFT_API_INPUTS_H_
#define WEFT_API_INPUTS_H_

#include <span>
#include <string>
#include <vector>

#include "weft/picture.h"
#include "weft/predict/line.h"
#include "weft/predict/predictor.h"

namespace weft::api {

std::vector<Line> lines_of(std::span<const std::string> texts);

// Throws ShapeError for a picture whose pixels do not have its shape.
void check_pictures(std::span<const Picture> pictures);

// The predictions of inputs, counted in `report`, if there is one.
template <class Predictor, class Inputs>
auto predict_all(const Predictor& predictor, const Inputs& inputs, Report* report) {
  Report unread;
  return predict::predict(predictor, inputs, report != nullptr ? *report : unread);
}

}  // namespace weft::api

#endif  // WEFT_API_INPUTS_H_
