// Models of two views.
#include "weft/views.h"

#include "bindings/python/src/bind.h"
#include "bindings/python/src/parts.h"
#include "bindings/python/src/picture.h"

namespace weft::python {
namespace {

std::vector<PicturePair> pairs_of(const nb::list& pairs) {
  std::vector<PicturePair> out;
  for (const nb::handle pair : pairs) {
    std::vector<Picture> views = pictures_of(nb::cast<nb::list>(pair));
    out.push_back({.first = std::move(views.at(0)), .second = std::move(views.at(1))});
  }
  return out;
}

nb::object completed_of(CompletedView found) {
  return nb::make_tuple(array_of(std::move(found.completed)), array_of(std::move(found.masked)),
                        found.error, fault_of(found.fault));
}

nb::object motion_of(ViewMotion found) {
  const auto count = std::ssize(found.numbers);
  return nb::make_tuple(array_of(Array{.shape = {count}, .values = std::move(found.numbers)}),
                        fault_of(found.fault));
}

}  // namespace

void bind_views(nb::module_& module) {
  module.def("read_picture", [](nb::handle path) {
    const std::string given = text_of(path, "path");
    return array_of(without_lock([&] { return read_picture(given); }));
  });
  // In one part: random numbers depend on the number of a pair in a call.
  nb::class_<ViewCompleter>(module, "ViewCompleter")
      .def("__init__", make_of_model<ViewCompleter>)
      .def("complete", [](const ViewCompleter& self, const nb::list& pairs) {
        const std::vector<PicturePair> given = pairs_of(pairs);
        Report report("pair");
        auto found = without_lock([&] { return self.complete(given, &report); });
        return nb::make_tuple(list_of(std::move(found), completed_of), news_of(report));
      });
  nb::class_<MotionPredictor>(module, "MotionPredictor")
      .def("__init__", make_of_model<MotionPredictor>)
      .def("predict", [](const MotionPredictor& self, const nb::list& pairs) {
        const std::vector<PicturePair> given = pairs_of(pairs);
        Report report("pair");
        auto found = predict_in_parts(
            given, report,
            [&](std::span<const PicturePair> part, Report& r) { return self.predict(part, &r); });
        return nb::make_tuple(list_of(std::move(found), motion_of), news_of(report));
      });
}

}  // namespace weft::python
