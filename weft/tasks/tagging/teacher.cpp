#include "weft/tasks/tagging/teacher.h"

#include <algorithm>
#include <cmath>

#include "weft/core/error.h"
#include "weft/core/files/checksum.h"
#include "weft/model_file/any_encoder.h"
#include "weft/predict/tagging/tagger.h"
#include "weft/tasks/distillation/taught_loss.h"

namespace weft::tasks {
namespace {

// Logits of the labels of each row: with a CRF the logarithms of their marginal probabilities.
Tensor logits_of(const models::ColumnScores& scores, const models::LabelColumn& column,
                 const ops::LayoutPtr& words) {
  if (!column.has_crf) return scores.emissions;
  constexpr float kLeast = 1e-20F;
  Tensor marginals =
      ops::crf_marginals(scores.emissions, {scores.transitions, scores.start, scores.end}, words,
                         column.allowed)
          .to(DType::kF32);
  for (float& p : marginals.span<float>()) p = std::log(std::max(p, kLeast));
  return marginals;
}

}  // namespace

TaggerTeacher::TaggerTeacher(const TaggingOptions& o, const models::TaggerOptions& student)
    : path_(o.teacher.teacher),
      weight_(o.teacher.weight),
      temperature_(o.teacher.temperature),
      session_(model_file::load_any_tagger(path_)) {
  require_option(student.crf.is<models::NoCrf>(), "--crf",
                 "with --teacher, whose labels are learned word by word, expected none");
  const data::LabelledFields fields = o.read_fields();
  const size_t words = session_.assets.word_columns, texts = session_.labels().size() - words;
  if (fields.word_labels.size() == words && fields.text_labels.size() == texts) return;
  fail<OptionError>("--teacher",
                    "{} gives {} labels to a word and {} to a text; expected as many as "
                    "--word-labels and --text-labels, {} and {}",
                    path_, words, texts, fields.word_labels.size(), fields.text_labels.size());
}

OtherReading TaggerTeacher::reading() const {
  const models::TaggerOptions& model = session_.model.options;
  return {.tokeniser = session_.assets.text.tokeniser,
          .tokens = {.by_word = true,
                     .with_begin = model.with_begin(),
                     .characters = session_.characters()},
          .capacity = model.encoder.table_capacity()};
}

uint64_t TaggerTeacher::fingerprint() const {
  return checksum_of<float>(session_.parameters.span<float>());
}

std::vector<data::LabelSet> TaggerTeacher::labels(const std::vector<data::LabelSet>& training,
                                                  const std::vector<data::LabelSet>* whole,
                                                  const std::string& files) const {
  const std::vector<data::LabelSet>& known = session_.labels();
  for (size_t c = 0; c < training.size(); ++c) {
    check_known_labels(training[c], known[c], files, path_, kTeacherHint);
  }
  for (size_t c = 0; whole != nullptr && c < known.size(); ++c) {
    check_same_labels((*whole)[c], known[c], path_);
  }
  return known;
}

void TaggerTeacher::check_words(const data::LabelledCorpus& student,
                                const data::LabelledCorpus& teacher) const {
  for (int64_t i = 0; i < student.size(); ++i) {
    if (student.words(i) == teacher.words(i)) continue;
    fail<FormatError>(path_,
                      "reads {} words of text {}, and the student {}; expected as many; hint: "
                      "shorten the text",
                      teacher.words(i), i + 1, student.words(i));
  }
}

ops::Loss TaggerTeacher::loss(const models::Tagger& student, const TaughtExamples& examples,
                              const models::TagObjective& objective,
                              const nn::Context& context) const {
  const models::Tagger& model = session_.model;
  const models::TagScores z =
      model(models::tagger_input(examples.teacher, 0, model.characters.is_on()), {});
  const models::TagScores y = student(examples.student, context);
  LossSum sum(context.tape);
  for (size_t c = 0; c < y.columns.size(); ++c) {
    const auto& labels = std::get<data::Labels>(examples.student.fields[1 + c]);
    const double share = objective.weights[c];
    sum.add(taught_loss(
                y.columns[c].emissions, logits_of(z.columns[c], model.dims.columns[c], z.words),
                ops::make_ids(labels.ids),
                {.truth = {.smoothing = objective.smoothing, .weight = objective.weight * share},
                 .share = weight_,
                 .temperature = temperature_},
                context.tape),
            share);
  }
  return sum.loss();
}

}  // namespace weft::tasks
