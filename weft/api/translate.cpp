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

// Of the input with this number.
Translation translation_of(predict::TranslatedLine line, int64_t number,
                           const decode::DecodeOptions& options) {
  Translation out{.text = line.hypotheses.front().text,
                  .hypotheses = {},
                  .written = predict::written(line, number, options),
                  .fault = std::move(line.fault)};
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

const OptionSchema& Translator::schema() { return api::schema_of<predict::TranslatorOptions>(); }

std::vector<Translation> Translator::translate(std::span<const std::string> texts,
                                               Report* report) const {
  return translate(api::lines_of(texts), report);
}

std::vector<Translation> Translator::translate(std::span<const Line> lines, Report* report) const {
  std::vector<Translation> out;
  out.reserve(lines.size());
  int64_t number = report != nullptr ? report->inputs : 0;
  for (predict::TranslatedLine& line : api::predict_all(state_->translator, lines, report)) {
    out.push_back(translation_of(std::move(line), number++, state_->translator.options()));
  }
  return out;
}

void Translator::check_stream() const {
  const predict::Translator& translator = state_->translator;
  translator.check_left_to_right("--stream");
  require_option(!translator.options().n_best, "--stream",
                 "contradicts --n-best; expected one of them");
}

Translation Translator::stream(std::string_view text, const OnText& on_text) const {
  return stream(Line{.text = std::string(text)}, on_text);
}

Translation Translator::stream(const Line& line, const OnText& on_text, Report* report) const {
  check_stream();
  Report unread;
  Report& counted = report != nullptr ? *report : unread;
  const int64_t number = counted.inputs;
  std::string heard;
  auto found = api::streamed(on_text, heard, [&](const auto& pass) {
    return state_->translator.stream(line, counted, pass);
  });
  if (found) {
    return translation_of(std::move(*found), number, state_->translator.options());
  }
  return {.text = heard, .hypotheses = {{.text = heard}}, .written = heard};
}

void Translator::check_constraints_used(const Report& report) const {
  state_->translator.check_constraints_used(report);
}

}  // namespace weft
