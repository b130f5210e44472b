#include "weft/translate.h"

#include "weft/api/inputs.h"
#include "weft/api/loaded_model.h"
#include "weft/api/read_options.h"
#include "weft/api/streamed.h"
#include "weft/predict/translation/translator_options.h"

namespace weft {

struct Translator::State {
  std::vector<model_file::TranslatorSession> sessions;
  predict::Translator translator;

  State(const std::vector<Model>& models, const predict::TranslatorOptions& options)
      : sessions(sessions_of(models)),
        translator(predict::make_translator(sessions, options, models.front().loaded().precision)) {
  }

  static std::vector<model_file::TranslatorSession> sessions_of(const std::vector<Model>& models) {
    auto out = api::sessions_of<model_file::TranslatorSession>(models);
    for (size_t i = 1; i < out.size(); ++i) {
      model_file::check_vocabularies(out.front(), out[i], models[i].path(), "the first model");
    }
    return out;
  }
};

namespace {

Array array_of(const decode::Alignment& alignment) {
  const auto rows = std::ssize(alignment.weights) / std::max<int64_t>(alignment.source, 1);
  return {.shape = {rows, alignment.source}, .values = alignment.weights};
}

Translation translation_of(predict::TranslatedLine line) {
  Translation out{
      .text = line.hypotheses.front().text, .hypotheses = {}, .fault = std::move(line.fault)};
  for (predict::TranslatedText& found : line.hypotheses) {
    TranslationHypothesis& one = out.hypotheses.emplace_back(
        TranslationHypothesis{.text = std::move(found.text),
                              .log_probability = found.log_probability,
                              .score = found.score,
                              .token_scores = std::move(found.token_scores)});
    for (const decode::Alignment& a : found.alignments) one.alignments.push_back(array_of(a));
  }
  return out;
}

}  // namespace

Translator::Translator(const Model& model, const Options& options)
    : Translator(std::vector{model}, options) {}

Translator::Translator(const std::vector<Model>& models, const Options& options)
    : state_(std::make_shared<const State>(
          models, api::read_options<predict::TranslatorOptions>(options))) {}

std::vector<Translation> Translator::translate(std::span<const std::string> texts,
                                               Report* report) const {
  std::vector<Translation> out;
  out.reserve(texts.size());
  for (predict::TranslatedLine& line :
       api::predict_all(state_->translator, api::lines_of(texts), report)) {
    out.push_back(translation_of(std::move(line)));
  }
  return out;
}

Translation Translator::stream(std::string_view text, const OnText& on_text) const {
  const predict::Translator& translator = state_->translator;
  translator.check_left_to_right("stream");
  require_option(!translator.options().n_best, "stream",
                 "contradicts n-best; expected one of them");
  Report report;
  std::string heard;
  auto found = api::streamed(on_text, heard, [&](const auto& pass) {
    return translator.stream({.text = std::string(text)}, report, pass);
  });
  if (found) return translation_of(std::move(*found));
  return {.text = heard, .hypotheses = {{.text = heard}}};
}

}  // namespace weft
