// Classifiers, taggers and fillers of masks.
#include <nanobind/stl/vector.h>

#include "bindings/python/src/bind.h"
#include "bindings/python/src/parts.h"
#include "bindings/python/src/picture.h"
#include "weft/classify.h"
#include "weft/fill.h"
#include "weft/tag.h"

namespace weft::python {
namespace {

nb::object classification_of(Classification found) {
  const auto size = static_cast<int64_t>(found.probabilities.size());
  return nb::make_tuple(list_of(found.labels),
                        array_of(Array{.shape = {size}, .values = std::move(found.probabilities)}),
                        fault_of(found.fault));
}

// Of texts and paths, or of pictures.
template <class Input>
nb::object classify(const Classifier& classifier, const std::vector<Input>& inputs) {
  Report report;
  auto found = predict_in_parts(inputs, report, [&](std::span<const Input> part, Report& r) {
    return classifier.classify(part, &r);
  });
  return nb::make_tuple(list_of(std::move(found), classification_of), news_of(report));
}

nb::object column_of(TaggedText::Column column) {
  return nb::make_tuple(list_of(column.labels), nb::cast(column.probabilities));
}

nb::object tagged_of(TaggedText found) {
  return nb::make_tuple(list_of(found.words), list_of(std::move(found.columns), column_of),
                        fault_of(found.fault));
}

template <class Input>
nb::object tag(const Tagger& tagger, const std::vector<Input>& inputs) {
  Report report;
  auto found = predict_in_parts(
      inputs, report, [&](std::span<const Input> part, Report& r) { return tagger.tag(part, &r); });
  return nb::make_tuple(list_of(std::move(found), tagged_of), news_of(report));
}

nb::object filled_of(const FilledText& found) {
  const auto mask = [](const std::vector<MaskCandidate>& candidates) {
    return list_of(candidates, [](const MaskCandidate& one) {
      return nb::make_tuple(str_of(one.token), one.probability);
    });
  };
  return nb::make_tuple(str_of(found.text), list_of(found.masks, mask), fault_of(found.fault));
}

}  // namespace

void bind_labellers(nb::module_& module) {
  nb::class_<Classifier>(module, "Classifier")
      .def("__init__", make_of_models<Classifier>)
      .def("classify",
           [](const Classifier& self, const nb::list& inputs) {
             return classify(self, texts_of(inputs, "text"));
           })
      .def("classify_pictures", [](const Classifier& self, const nb::list& pictures) {
        return classify(self, pictures_of(pictures));
      });
  nb::class_<Tagger>(module, "Tagger")
      .def("__init__", make_of_models<Tagger>)
      .def("tag", [](const Tagger& self,
                     const nb::list& texts) { return tag(self, texts_of(texts, "text")); })
      .def("tag_words", [](const Tagger& self, const nb::list& texts) {
        std::vector<std::vector<std::string>> words;
        for (const nb::handle text : texts) words.push_back(texts_of(text, "word"));
        return tag(self, words);
      });
  nb::class_<MaskFiller>(module, "MaskFiller")
      .def("__init__", make_of_model<MaskFiller>)
      .def("fill", [](const MaskFiller& self, const nb::list& texts) {
        const auto given = texts_of(texts, "text");
        Report report;
        auto found = predict_in_parts(
            given, report,
            [&](std::span<const std::string> part, Report& r) { return self.fill(part, &r); });
        return nb::make_tuple(list_of(std::move(found), filled_of), news_of(report));
      });
}

}  // namespace weft::python
