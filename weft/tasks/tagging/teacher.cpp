#include "weft/tasks/tagging/teacher.h"

#include <algorithm>
#include <cmath>

#include "weft/core/error.h"
#include "weft/core/files/checksum.h"
#include "weft/model_file/any_encoder.h"
#include "weft/ops/losses/crf_divergence.h"
#include "weft/ops/slice.h"
#include "weft/predict/tagging/tagger.h"
#include "weft/tasks/distillation/taught_loss.h"

namespace weft::tasks {
namespace {

// What a student learns of a column of labels.
struct Taught {
  const models::ColumnScores &student, &teacher;
  const models::LabelColumn &by_student, &by_teacher;
  ops::LayoutPtr words;
  int64_t labelled;  // of the first texts, which have labels
  ops::Ids labels;   // of these, or of their words
};

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

// Some texts of a column's scores, and their words.
struct Part {
  Tensor emissions;
  ops::LayoutPtr words;
};

Part texts_of(const Tensor& emissions, const ops::LayoutPtr& words, int64_t begin, int64_t end,
              ops::Tape* tape) {
  const Segments& all = words->segments;
  Segments texts;
  for (int64_t b = begin; b < end; ++b) texts.append(all.length(b));
  const int64_t first = all.begin(begin);
  return {ops::slice_rows(emissions, first, first + texts.rows(), tape),
          ops::make_layout(std::move(texts))};
}

// The loss of a student with a CRF, which learns the distribution over labellings of a teacher with
// one or of a teacher whose labels do not depend on each other.
ops::Loss labelling_loss(const Taught& column, const ops::Distillation& params, ops::Tape* tape) {
  const models::ColumnScores &y = column.student, &z = column.teacher;
  const int64_t texts = column.words->sequences(), count = y.emissions.cols();
  const bool has_crf = column.by_teacher.has_crf;
  const Tensor no_pairs = Tensor::zeros({count, count}), no_ends = Tensor::zeros({1, count});
  const ops::CrfWeights ours{y.transitions, y.start, y.end};
  const ops::CrfWeights theirs{has_crf ? z.transitions : no_pairs, has_crf ? z.start : no_ends,
                               has_crf ? z.end : no_ends};
  const ops::AllowedTagsPtr& allowed = column.by_student.allowed;
  LossSum sum(tape);
  const auto learn = [&](const Part& learner, const Part& taught, double share) {
    sum.add(
        ops::crf_divergence({learner.emissions, ours}, {taught.emissions, theirs}, learner.words,
                            {.allowed = allowed,
                             .temperature = params.temperature,
                             .weight = params.truth.weight * share},
                            tape),
        share);
  };
  const auto student = [&](int64_t begin, int64_t end) {
    return texts_of(y.emissions, column.words, begin, end, tape);
  };
  const auto teacher = [&](int64_t begin, int64_t end) {
    return texts_of(z.emissions, column.words, begin, end, nullptr);
  };
  if (column.labelled > 0) {
    const Part own = student(0, column.labelled);
    const double rest = 1 - params.share;
    if (params.share > 0) learn(own, teacher(0, column.labelled), params.share);
    if (rest > 0) {
      sum.add(
          models::crf_loss({own.emissions, y.transitions, y.start, y.end},
                           {own.words, column.labels}, {allowed, params.truth.weight * rest}, tape),
          rest);
    }
  }
  if (column.labelled < texts) {
    learn(student(column.labelled, texts), teacher(column.labelled, texts), 1);
  }
  return sum.loss();
}

ops::Loss loss_of(const Taught& column, const ops::Distillation& params, ops::Tape* tape) {
  if (column.by_student.has_crf) return labelling_loss(column, params, tape);
  return taught_loss(column.student.emissions,
                     logits_of(column.teacher, column.by_teacher, column.words), column.labels,
                     params, tape);
}

}  // namespace

TaggerTeacher::TaggerTeacher(const TaggingOptions& o)
    : path_(o.teacher.teacher),
      weight_(o.teacher.weight),
      temperature_(o.teacher.temperature),
      session_(model_file::load_any_tagger(path_)) {
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
    const double share = objective.weights[c];
    const Taught column{
        .student = y.columns[c],
        .teacher = z.columns[c],
        .by_student = student.dims.columns[c],
        .by_teacher = model.dims.columns[c],
        .words = z.words,
        .labelled = examples.labelled,
        .labels = ops::make_ids(std::get<data::Labels>(examples.student.fields[1 + c]).ids)};
    sum.add(
        loss_of(column,
                {.truth = {.smoothing = objective.smoothing, .weight = objective.weight * share},
                 .share = weight_,
                 .temperature = temperature_},
                context.tape),
        share);
  }
  return sum.loss();
}

}  // namespace weft::tasks
