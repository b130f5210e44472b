// Between Python's values and those of the library.
#ifndef BINDINGS_PYTHON_SRC_CONVERT_H_
#define BINDINGS_PYTHON_SRC_CONVERT_H_

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/array.h"
#include "weft/model.h"
#include "weft/options.h"
#include "weft/picture.h"
#include "weft/report.h"

namespace weft::python {

namespace nb = nanobind;

// A str, as UTF-8 (surrogate escapes as the bytes that they stand for), bytes as they are, or the
// path of an os.PathLike. Throws TypeError, naming `what`, for anything else.
std::string text_of(nb::handle value, const char* what);
// Of a list or tuple of them.
std::vector<std::string> texts_of(nb::handle values, const char* what);
// Bytes that are not UTF-8 as replacement characters.
nb::str str_of(std::string_view text);
nb::list list_of(const std::vector<std::string>& texts);

// A dict of names to a bool, a number, a str, a path or a list of them; None: not given.
Options options_of(const nb::dict& given);

// (kind, reason), or None.
nb::object fault_of(const std::optional<Fault>& fault);
// (whether inputs lack results or parts of them, what the log is told), or None: nothing to tell.
nb::object news_of(const Report& report);

// A float32 array [...] of numpy that owns the numbers.
nb::object array_of(Array array);
// A float64 array [N] of numpy.
nb::object array_of(std::vector<double> values);

// A uint8 array [H, W, C] of numpy that owns the pixels.
nb::object array_of(Picture picture);

std::vector<Model> models_of(const nb::list& models);

// A list of what `convert` makes of each result.
template <class Results, class Convert>
nb::list list_of(Results&& results, const Convert& convert) {
  nb::list out;
  for (auto& result : results) out.append(convert(std::move(result)));
  return out;
}

// The result of `work`, which runs while other threads of Python go on.
template <class Work>
auto without_lock(const Work& work) {
  const nb::gil_scoped_release released;
  return work();
}

// Constructors of what predicts, of one model or of an ensemble.
template <class Predictor>
void make_of_model(Predictor* self, const Model& model, const nb::dict& options) {
  const Options given = options_of(options);
  without_lock([&] { new (self) Predictor(model, given); });
}

template <class Predictor>
void make_of_models(Predictor* self, const nb::list& models, const nb::dict& options) {
  const Options given = options_of(options);
  const std::vector<Model> handles = models_of(models);
  without_lock([&] { new (self) Predictor(handles, given); });
}

// Raises KeyboardInterrupt where Ctrl-C was pressed.
void check_signals();

}  // namespace weft::python

#endif  // BINDINGS_PYTHON_SRC_CONVERT_H_
