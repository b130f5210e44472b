// How good texts are beside references, and models on examples; which options there are.
#include "bindings/python/src/bind.h"
#include "bindings/python/src/convert.h"
#include "weft/evaluate.h"

namespace weft::python {
namespace {

nb::object metric_of(const TextMetric& metric) {
  return nb::make_tuple(str_of(metric.name), metric.score, str_of(metric.signature),
                        str_of(metric.text));
}

nb::object evaluate_texts(const nb::list& hypotheses, const nb::list& references,
                          const nb::dict& options) {
  const auto texts = texts_of(hypotheses, "hypothesis");
  std::vector<std::vector<std::string>> expected;
  for (const nb::handle one : references) expected.push_back(texts_of(one, "reference"));
  const Options given = options_of(options);
  return list_of(without_lock([&] { return evaluate(texts, expected, given); }), metric_of);
}

// ([the text of the results, their JSON], predictions as lines of JSON)
nb::object evaluate_models(const nb::list& models, const nb::list& files, const nb::dict& options,
                           bool with_predictions) {
  const std::vector<Model> given = models_of(models);
  const std::vector<std::string> paths = texts_of(files, "file");
  const Options asked = options_of(options);
  std::vector<std::string> predictions;
  OnPrediction keep;
  if (with_predictions) {
    keep = [&](std::string_view line) { predictions.emplace_back(line); };
  }
  const ModelEvaluation found =
      without_lock([&] { return evaluate_model(given, paths, asked, keep); });
  return nb::make_tuple(str_of(found.text), str_of(found.json), list_of(predictions));
}

}  // namespace

void bind_evaluation(nb::module_& module) {
  module.def("evaluate", evaluate_texts);
  module.def("evaluate_models", evaluate_models);
}

}  // namespace weft::python
