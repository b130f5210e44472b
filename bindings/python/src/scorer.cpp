#include "bindings/python/src/bind.h"
#include "bindings/python/src/parts.h"
#include "weft/score.h"

namespace weft::python {
namespace {

nb::object score_of(const TextScore& score) {
  return nb::make_tuple(score.log_probability, score.tokens, score.bytes);
}

nb::object scored_of(const ScoredText& found) {
  return nb::make_tuple(list_of(found.scores, score_of), fault_of(found.fault));
}

nb::object score(const Scorer& scorer, const nb::list& texts) {
  const auto given = texts_of(texts, "text");
  Report report;
  auto found = predict_in_parts(given, report, [&](std::span<const std::string> part, Report& r) {
    return scorer.score(part, &r);
  });
  return nb::make_tuple(list_of(std::move(found), scored_of), news_of(report));
}

}  // namespace

void bind_scorer(nb::module_& module) {
  nb::class_<Scorer>(module, "Scorer")
      .def("__init__", make_of_model<Scorer>)
      .def("score", score)
      .def("score_continuations",
           [](const Scorer& self, nb::handle prompt, const nb::list& continuations) {
             const std::string given = text_of(prompt, "prompt");
             const auto texts = texts_of(continuations, "continuation");
             return scored_of(without_lock([&] { return self.score(given, texts); }));
           });
}

}  // namespace weft::python
