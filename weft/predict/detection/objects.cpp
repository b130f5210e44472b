#include "weft/predict/detection/objects.h"

#include <algorithm>
#include <cmath>

#include "weft/core/error.h"
#include "weft/data/batcher.h"
#include "weft/ops/softmax.h"
#include "weft/predict/not_finite.h"

namespace weft::predict {
namespace {

constexpr data::BatchLimits kPicturesTogether{.rows = 16384, .examples = 128};

data::Box box_of(const float* row) {
  return data::intersection(data::Box::around(row[0], row[1], row[2], row[3]), {0, 0, 1, 1});
}

std::vector<metrics::ExpectedBox> expected_of(const data::Batch& batch, int64_t example) {
  const auto& labels = std::get<data::Labels>(batch.fields[1]);
  const auto& boxes = std::get<data::Features>(batch.fields[2]);
  std::vector<metrics::ExpectedBox> out;
  for (int32_t i = labels.segments.begin(example); i < labels.segments.end(example); ++i) {
    out.push_back({labels.ids[i], box_of(boxes.values.data() + 4 * int64_t{i})});
  }
  return out;
}

}  // namespace

std::vector<std::optional<Objects>> find_objects(const model_file::DetectorSession& session,
                                                 const data::Features& pictures, double threshold) {
  const models::BoxPredictions found =
      session.model(data::patches_of(pictures, session.patches()), {});
  const Tensor scores = ops::softmax(found.logits.to(DType::kF32), nullptr);  // [N, C + 1]
  const Tensor boxes = found.boxes.to(DType::kF32);                           // [N, 4]
  std::vector<std::optional<Objects>> out;
  const Segments& queries = found.rows->segments;
  for (int64_t b = 0; b < queries.count(); ++b) {
    std::optional<Objects>& found_here = out.emplace_back();
    const auto is_number = [&](const Tensor& x) {
      return std::isfinite(sum_of_squares(x.row_range(queries.begin(b), queries.end(b))));
    };
    if (!is_number(scores) || !is_number(boxes)) continue;
    Objects& objects = found_here.emplace();
    for (int32_t n = queries.begin(b); n < queries.end(b); ++n) {
      const float* row = scores.row_range(n, n + 1).data<float>();
      const data::Box box = box_of(boxes.row_range(n, n + 1).data<float>());
      for (int32_t label = 0; label < session.labels.size(); ++label) {
        if (row[label] >= threshold) objects.push_back({label, row[label], box});
      }
    }
    std::ranges::stable_sort(objects, std::greater(), &metrics::DetectedBox::score);
  }
  return out;
}

ComparedObjects compare_objects(const model_file::DetectorSession& session,
                                const data::LabelledBoxes& pictures) {
  // Equal scores stand in the order of pictures, so that no batch changes a figure.
  ComparedObjects out;
  out.found.resize(static_cast<size_t>(pictures.size()));
  out.expected.resize(out.found.size());
  const data::BatchPlan plan = data::evaluation_plan(pictures, kPicturesTogether);
  for (int64_t i = 0; i < plan.size(); ++i) {
    const data::Batch batch = pictures.batch(plan[i]);
    std::vector<std::optional<Objects>> part =
        find_objects(session, std::get<data::Features>(batch.fields[0]), 0);
    for (int64_t b = 0; b < batch.size(); ++b) {
      const int64_t number = batch.examples[b];
      if (!part[b]) {
        fail<NumericError>("detector", "picture {}: {}", number + 1, kNotFiniteText);
      }
      out.found[number] = std::move(*part[b]);
      out.expected[number] = expected_of(batch, b);
    }
  }
  return out;
}

metrics::PrecisionReport evaluate_objects(const ComparedObjects& compared, int32_t labels) {
  metrics::AveragePrecision precision(labels);
  for (size_t i = 0; i < compared.found.size(); ++i) {
    precision.add(compared.expected[i], compared.found[i]);
  }
  return precision.report();
}

}  // namespace weft::predict
