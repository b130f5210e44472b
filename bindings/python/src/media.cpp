// Transcribers of sounds and detectors of objects in pictures.
#include <nanobind/stl/pair.h>

#include "bindings/python/src/bind.h"
#include "bindings/python/src/parts.h"
#include "bindings/python/src/picture.h"
#include "weft/detect.h"
#include "weft/transcribe.h"

namespace weft::python {
namespace {

using Samples = nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

nb::object transcript_of(Transcript found) {
  const auto word = [](const TimedWord& one) {
    return nb::make_tuple(str_of(one.text), one.begin, one.end);
  };
  return nb::make_tuple(str_of(found.text), list_of(found.words, word), found.seconds,
                        fault_of(found.fault));
}

template <class Input>
nb::object transcribe(const Transcriber& transcriber, const std::vector<Input>& inputs) {
  Report report("sound");
  auto found = predict_in_parts(inputs, report, [&](std::span<const Input> part, Report& r) {
    return transcriber.transcribe(part, &r);
  });
  return nb::make_tuple(list_of(std::move(found), transcript_of), news_of(report));
}

Sound sound_of(nb::handle value) {
  const auto [array, rate] = nb::cast<std::pair<nb::object, double>>(value);
  Samples samples;
  if (!nb::try_cast(array, samples)) {
    throw nb::type_error("sound: expected an array of float32 [samples]");
  }
  return {.samples = {samples.data(), samples.data() + samples.size()}, .rate = rate};
}

nb::object detection_of(const Detection& found) {
  const auto object = [](const DetectedObject& one) {
    return nb::make_tuple(str_of(one.label), one.score, one.x, one.y, one.width, one.height);
  };
  return nb::make_tuple(list_of(found.objects, object), fault_of(found.fault));
}

template <class Input>
nb::object detect(const Detector& detector, const std::vector<Input>& inputs) {
  Report report("picture");
  auto found = predict_in_parts(inputs, report, [&](std::span<const Input> part, Report& r) {
    return detector.detect(part, &r);
  });
  return nb::make_tuple(list_of(std::move(found), detection_of), news_of(report));
}

}  // namespace

void bind_media(nb::module_& module) {
  nb::class_<Transcriber>(module, "Transcriber")
      .def("__init__", make_of_model<Transcriber>)
      .def("transcribe",
           [](const Transcriber& self, const nb::list& paths) {
             return transcribe(self, texts_of(paths, "path"));
           })
      .def("transcribe_sounds", [](const Transcriber& self, const nb::list& sounds) {
        std::vector<Sound> given;
        for (const nb::handle sound : sounds) given.push_back(sound_of(sound));
        return transcribe(self, given);
      });
  nb::class_<Detector>(module, "Detector")
      .def("__init__", make_of_model<Detector>)
      .def("detect", [](const Detector& self,
                        const nb::list& paths) { return detect(self, texts_of(paths, "path")); })
      .def("detect_pictures", [](const Detector& self, const nb::list& pictures) {
        return detect(self, pictures_of(pictures));
      });
}

}  // namespace weft::python
