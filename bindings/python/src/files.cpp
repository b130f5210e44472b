// Model files: conversion, quantisation, averages, and what is in them.
#include "bindings/python/src/bind.h"
#include "bindings/python/src/convert.h"
#include "weft/convert.h"
#include "weft/inspect.h"

namespace weft::python {
namespace {

nb::object map_of(AttentionMap map) {
  return nb::make_tuple(str_of(map.stack), str_of(map.role), map.layer, list_of(map.queries),
                        list_of(map.keys), array_of(std::move(map.weights)));
}

nb::object inspect(const Model& model, const nb::list& inputs, const nb::dict& options) {
  const auto texts = texts_of(inputs, "input");
  const Options given = options_of(options);
  const Inspection found = without_lock([&] { return inspect_inputs(model, texts, given); });
  return nb::make_tuple(str_of(found.json), str_of(found.page));
}

nb::object attention_of(const Model& model, nb::handle input, const nb::dict& options) {
  const std::string text = text_of(input, "input");
  const Options given = options_of(options);
  return list_of(without_lock([&] { return attention(model, text, given); }), map_of);
}

}  // namespace

void bind_files(nb::module_& module) {
  module.def("convert", [](const nb::dict& options) {
    const Options given = options_of(options);
    return str_of(without_lock([&] { return convert(given); }));
  });
  module.def("quantize", [](const nb::dict& options) {
    const Options given = options_of(options);
    without_lock([&] { quantize(given); });
  });
  module.def("average", [](const nb::dict& options) {
    const Options given = options_of(options);
    without_lock([&] { average(given); });
  });
  module.def("inspect", inspect);
  module.def("attention", attention_of);
  module.def("summary", [](const Model& model, bool as_json) {
    return str_of(without_lock([&] { return summary(model, as_json); }));
  });
}

}  // namespace weft::python
