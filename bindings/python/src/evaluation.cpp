// Scores of texts beside references.
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

}  // namespace

void bind_evaluation(nb::module_& module) { module.def("evaluate", evaluate_texts); }

}  // namespace weft::python
