// The parts of the module.
#ifndef BINDINGS_PYTHON_SRC_BIND_H_
#define BINDINGS_PYTHON_SRC_BIND_H_

#include <nanobind/nanobind.h>

namespace weft::python {

namespace nb = nanobind;

void bind_errors(nb::module_& module);
void bind_settings(nb::module_& module);
void bind_model(nb::module_& module);
void bind_translator(nb::module_& module);
void bind_labellers(nb::module_& module);
void bind_embedder(nb::module_& module);
void bind_generator(nb::module_& module);
void bind_media(nb::module_& module);
void bind_views(nb::module_& module);
void bind_scorer(nb::module_& module);
void bind_training(nb::module_& module);
void bind_files(nb::module_& module);
void bind_evaluation(nb::module_& module);

}  // namespace weft::python

#endif  // BINDINGS_PYTHON_SRC_BIND_H_
