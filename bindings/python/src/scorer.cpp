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

template <class Scorer, class Input>
nb::object score(const Scorer& scorer, const std::vector<Input>& inputs, Report report) {
  auto found = predict_in_parts(inputs, report, [&](std::span<const Input> part, Report& r) {
    return scorer.score(part, &r);
  });
  return nb::make_tuple(list_of(std::move(found), scored_of), news_of(report));
}

TextPair pair_of(nb::handle pair) {
  std::vector<std::string> texts = texts_of(pair, "text of a pair");
  if (texts.size() != 2) throw nb::value_error("pair: expected two texts");
  return {.source = std::move(texts[0]), .target = std::move(texts[1])};
}

}  // namespace

void bind_scorer(nb::module_& module) {
  nb::class_<Scorer>(module, "Scorer")
      .def("__init__", make_of_model<Scorer>)
      .def("score",
           [](const Scorer& self, const nb::list& texts) {
             return score(self, texts_of(texts, "text"), Report());
           })
      .def("score_continuations",
           [](const Scorer& self, nb::handle prompt, const nb::list& continuations) {
             const std::string given = text_of(prompt, "prompt");
             const auto texts = texts_of(continuations, "continuation");
             return scored_of(without_lock([&] { return self.score(given, texts); }));
           });
  nb::class_<TranslationScorer>(module, "TranslationScorer")
      .def("__init__", make_of_model<TranslationScorer>)
      .def("score", [](const TranslationScorer& self, const nb::list& pairs) {
        std::vector<TextPair> given;
        for (const nb::handle pair : pairs) given.push_back(pair_of(pair));
        return score(self, given, Report("pair"));
      });
}

}  // namespace weft::python
