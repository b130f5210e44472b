#include <nanobind/stl/vector.h>

#include "bindings/python/src/bind.h"
#include "bindings/python/src/listener.h"
#include "bindings/python/src/parts.h"
#include "weft/translate.h"

namespace weft::python {
namespace {

nb::object hypothesis_of(TranslationHypothesis found) {
  nb::list alignments;
  for (Array& alignment : found.alignments) alignments.append(array_of(std::move(alignment)));
  return nb::make_tuple(str_of(found.text), found.log_probability, found.score,
                        nb::cast(found.token_scores), alignments);
}

nb::object translation_of(Translation found) {
  return nb::make_tuple(str_of(found.text), list_of(std::move(found.hypotheses), hypothesis_of),
                        fault_of(found.fault));
}

nb::object translate(const Translator& translator, const nb::list& texts) {
  const auto given = texts_of(texts, "text");
  Report report;
  auto found = predict_in_parts(given, report, [&](std::span<const std::string> part, Report& r) {
    return translator.translate(part, &r);
  });
  return nb::make_tuple(list_of(std::move(found), translation_of), news_of(report));
}

nb::object stream(const Translator& translator, nb::handle text, const nb::callable& on_text) {
  const std::string given = text_of(text, "text");
  return translation_of(without_lock([&] { return translator.stream(given, listener(on_text)); }));
}

}  // namespace

void bind_translator(nb::module_& module) {
  nb::class_<Translator>(module, "Translator")
      .def("__init__", make_of_models<Translator>)
      .def("translate", translate)
      .def("stream", stream);
}

}  // namespace weft::python
