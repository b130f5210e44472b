#include "bindings/python/src/bind.h"
#include "bindings/python/src/convert.h"
#include "weft/embed.h"

namespace weft::python {
namespace {

// ([N, E], a fault or None for each text, news)
nb::object embed(const Embedder& embedder, const nb::list& texts) {
  const auto given = texts_of(texts, "text");
  Report report;
  Embeddings found = without_lock([&] { return embedder.embed(given, &report); });
  check_signals();
  return nb::make_tuple(array_of(std::move(found.vectors)), list_of(found.faults, fault_of),
                        news_of(report));
}

}  // namespace

void bind_embedder(nb::module_& module) {
  nb::class_<Embedder>(module, "Embedder")
      .def("__init__",
           [](Embedder* self, const Model& model, const nb::dict& options) {
             const auto given = options_of(options);
             without_lock([&] { new (self) Embedder(model, given); });
           })
      .def("embed", embed)
      .def_prop_ro("dimensions", &Embedder::dimensions);
}

}  // namespace weft::python
