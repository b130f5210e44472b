#include "weft/model.h"

#include "bindings/python/src/bind.h"
#include "bindings/python/src/convert.h"

namespace weft::python {

void bind_model(nb::module_& module) {
  nb::class_<Model>(module, "Model")
      .def_prop_ro("path", [](const Model& model) { return str_of(model.path()); })
      .def_prop_ro("kind", [](const Model& model) { return str_of(model.kind()); })
      .def_prop_ro("options", [](const Model& model) { return str_of(model.options()); })
      .def("labels",
           [](const Model& model, size_t column) { return list_of(model.labels(column)); });
  module.def("load", [](nb::handle path, const nb::dict& options) {
    const std::string file = text_of(path, "path");
    const Options given = options_of(options);
    return without_lock([&] { return load(file, given); });
  });
}

}  // namespace weft::python
