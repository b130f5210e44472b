// weft._weft: the public library as functions and classes that take and return plain values. The
// package around it, bindings/python/weft, makes of them what its users see.
#include "bindings/python/src/bind.h"

NB_MODULE(_weft, module) {
  nanobind::set_leak_warnings(false);  // of what lives until the interpreter ends
  weft::python::bind_errors(module);
  weft::python::bind_settings(module);
  weft::python::bind_model(module);
  weft::python::bind_translator(module);
  weft::python::bind_labellers(module);
  weft::python::bind_embedder(module);
  weft::python::bind_generator(module);
  weft::python::bind_media(module);
  weft::python::bind_views(module);
  weft::python::bind_scorer(module);
  weft::python::bind_training(module);
  weft::python::bind_files(module);
  weft::python::bind_evaluation(module);
}
