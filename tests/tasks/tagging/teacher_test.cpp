// Taggers that learn from another one.
#include "weft/tasks/tagging/teacher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/errors.h"
#include "tests/tasks/resumption.h"
#include "tests/tasks/tagging/small_tagging.h"
#include "tests/train/small_training.h"
#include "weft/core/error.h"

namespace weft::tasks {
namespace {

using test::Scratch;
using testing::HasSubstr;

// A student with the options `flags` and a teacher of another width and vocabulary, with the
// options `of_teacher`.
TaggingOptions taught_tagging(const Scratch& folder, const std::string& flags = "",
                              const std::string& of_teacher = "") {
  const Scratch elsewhere;
  TaggingOptions teacher = small_tagging(elsewhere, "--dim-emb 24 " + of_teacher);
  teacher.loop.model = folder.path("teacher.safetensors");
  if (!std::filesystem::exists(teacher.loop.model)) train_tagger(teacher);
  TaggingOptions o = small_tagging(folder, flags);
  o.teacher.teacher = teacher.loop.model;
  o.teacher.unlabelled = {folder.file("lines.txt", test::toy_text(5, 60).source)};
  return o;
}

TEST(TaggerTeacher, GoesOnAsIfNeverStopped) {
  const std::pair<std::string, std::string> cases[] = {
      {"", ""},
      {"--teacher-temperature 2 --char-encoder cnn --optimizer-delay 2", "--crf spans"},
      {"--crf all --teacher-temperature 2 --optimizer-delay 2", ""},
      {"--crf spans", "--crf all"},
      {"--type rnn --label-weights 1 0.5 2", "--char-encoder cnn --begin-symbol true"}};
  for (const auto& [flags, of_teacher] : cases) {
    const auto make = [&](const Scratch& folder, const std::string& all) {
      return taught_tagging(folder, all, of_teacher);
    };
    expect_resumes<Tagging>(make, flags);
  }
}

std::vector<double> log_softmax(const Tensor& x, int64_t row, double temperature) {
  std::vector<double> out;
  double sum = 0;
  for (int64_t c = 0; c < x.cols(); ++c) {
    out.push_back(x.data<float>()[row * x.stride() + c] / temperature);
    sum += std::exp(out.back());
  }
  for (double& value : out) value -= std::log(sum);
  return out;
}

// A trained student, its teacher and two texts. Some columns label words, the last one texts. The
// second text has no labels.
struct Lesson {
  const Scratch folder;
  const TaggingOptions options;
  const model_file::TaggerSession session;
  const TaggerTeacher teacher;
  const data::Labels of_words{{1, 3}, {}, {{0, 2, 2}}}, of_texts{{2}, {}, {{0, 1, 1}}};
  const TaughtExamples examples;
  const models::TagScores y, z;

  explicit Lesson(const std::string& flags, const std::string& of_teacher = "")
      : options(taught_tagging(folder, "--teacher-weight 0.3 --teacher-temperature 2 " + flags,
                               of_teacher)),
        session(trained(options)),
        teacher(options),
        examples(read()),
        y(session.model(models::tagger_input(examples.student, 3, false), {})),
        z(teacher.session().model(models::tagger_input(examples.teacher, 0, false), {})) {}

  ops::Loss loss() const {
    return teacher.loss(session.model, examples, {.weights = {1, 0.5, 2}, .weight = 0.25}, {});
  }

 private:
  static model_file::TaggerSession trained(const TaggingOptions& o) {
    train_tagger(o);
    return model_file::load<model_file::TaggerSession>(o.loop.model);
  }
  TaughtExamples read() const {
    const auto add = [](const data::Tokeniser& tokeniser, data::Tokens& to) {
      to.add(tokeniser.encode("w1 w4"), tokeniser.end_id());
      to.add(tokeniser.encode("w3 w2 w1"), tokeniser.end_id());
    };
    data::Tokens ours, theirs;
    add(session.tokeniser(), ours);
    add(teacher.session().tokeniser(), theirs);
    const data::Labels words{{0, 1, 0, 1, 2}, {}, {{0, 2, 5}}};
    const data::Batch batch{.fields = {ours, of_words, of_words, of_texts, words, theirs, words},
                            .examples = {0, 1}};
    return {batch, 5, 1};
  }
};

TEST(TaggerTeacher, SaysOfEachWordWhatItIs) {
  const Lesson lesson("");
  const auto& [y, z] = std::tie(lesson.y, lesson.z);
  const ops::Loss found = lesson.loss();
  double expected = 0;
  const double weights[] = {1, 0.5, 2};
  for (size_t c = 0; c < 3; ++c) {
    const std::vector<int32_t> labels = c == 2 ? lesson.of_texts.ids : lesson.of_words.ids;
    for (int64_t row = 0; row < y.columns[c].emissions.rows(); ++row) {
      const auto p = log_softmax(y.columns[c].emissions, row, 2);
      const auto t = log_softmax(z.columns[c].emissions, row, 2);
      double taught = 0;
      for (size_t i = 0; i < p.size(); ++i) taught += 4 * std::exp(t[i]) * (t[i] - p[i]);
      const bool has_label = row < std::ssize(labels);
      double loss = taught;
      if (has_label) {
        const auto at = static_cast<size_t>(labels[static_cast<size_t>(row)]);
        loss = 0.3 * taught - 0.7 * log_softmax(y.columns[c].emissions, row, 1)[at];
      }
      expected += weights[c] * loss;
    }
  }
  EXPECT_NEAR(found.total, expected, 1e-4);
  EXPECT_NEAR(found.value.item(), expected / 4, 1e-4);
}

// log p of all labellings of the words [first, last), in order of their numbers to the base C; of
// those that are not allowed -infinity.
std::vector<double> log_labellings(const models::ColumnScores& scores,
                                   const ops::AllowedTagsPtr& allowed, int64_t first, int64_t last,
                                   double temperature) {
  const int64_t labels = scores.emissions.cols();
  const auto value = [](const Tensor& x, int64_t i) { return x ? x.data<float>()[i] : 0.0F; };
  std::vector<double> out;
  double sum = 0;
  for (int64_t code = 0; code < std::llround(std::pow(labels, last - first)); ++code) {
    double score = 0;
    bool may_be = true;
    int64_t rest = code, before = 0;
    for (int64_t n = first; n < last; ++n, rest /= labels) {
      const int64_t label = rest % labels;
      score += scores.emissions.data<float>()[n * scores.emissions.stride() + label];
      score += n == first ? value(scores.start, label)
                          : value(scores.transitions, before * labels + label);
      if (n + 1 == last) score += value(scores.end, label);
      const auto rules = n == first ? std::span(allowed->start)
                                    : std::span(allowed->transitions).subspan(before * labels);
      may_be = may_be && rules[static_cast<size_t>(label)] != 0;
      before = label;
    }
    out.push_back(may_be ? score / temperature : -std::numeric_limits<double>::infinity());
    sum += std::exp(out.back());
  }
  for (double& one : out) one -= std::log(sum);
  return out;
}

// The first column marks spans. A student with a CRF learns from a teacher with one and without.
TEST(TaggerTeacher, SaysOfEachLabellingHowProbableItIs) {
  for (const std::string of_teacher : {"", "--crf spans"}) {
    const Lesson lesson("--crf spans", of_teacher);
    const auto& column = lesson.session.model.dims.columns[0];
    ASSERT_TRUE(column.has_crf && column.allowed != nullptr);
    double expected = 0;
    for (const auto& [first, last] : {std::pair<int64_t, int64_t>{0, 2}, {2, 5}}) {
      const auto of = [&](const models::TagScores& scores, double temperature) {
        return log_labellings(scores.columns[0], column.allowed, first, last, temperature);
      };
      const std::vector<double> p = of(lesson.y, 2), t = of(lesson.z, 2);
      double taught = 0;
      for (size_t i = 0; i < p.size(); ++i) {
        if (std::isfinite(t[i])) taught += 4 * std::exp(t[i]) * (t[i] - p[i]);
      }
      const bool has_labels = first == 0;
      expected += has_labels ? 0.3 * taught : taught;
      const auto truth = static_cast<size_t>(1 + 3 * column.labels);
      if (has_labels) expected -= 0.7 * of(lesson.y, 1)[truth];
    }
    const ops::Loss found = lesson.teacher.loss(lesson.session.model, lesson.examples,
                                                {.weights = {1, 0, 0}, .weight = 0.25}, {});
    EXPECT_NEAR(found.total, expected, 1e-4) << of_teacher;
    EXPECT_NEAR(found.value.item(), expected / 4, 1e-4) << of_teacher;
  }
}

TEST(TaggerTeacher, TeachesWithoutLabels) {
  const Scratch folder;
  TaggingOptions o = taught_tagging(folder);
  o.data.train_sets.clear();
  train_tagger(o);
  const auto session = model_file::load<model_file::TaggerSession>(o.loop.model);
  const auto teacher = model_file::load<model_file::TaggerSession>(o.teacher.teacher);
  for (size_t c = 0; c < 3; ++c) {
    EXPECT_EQ(session.labels()[c].names(), teacher.labels()[c].names());
  }
}

TEST(TaggerTeacher, RefusesWhatContradicts) {
  const Scratch folder;
  const auto message = [&](const std::string& flags, const auto& change) {
    TaggingOptions o = taught_tagging(folder, flags);
    change(o);
    return test::message_of<Error>([&] { train_tagger(o); });
  };
  EXPECT_THAT(message("", [](TaggingOptions& o) { o.labels.text_labels.clear(); }),
              HasSubstr("teacher.safetensors gives 2 labels to a word and 1 to a text; expected as "
                        "many as --word-labels and --text-labels, 2 and 0"));
  EXPECT_THAT(message("", [](TaggingOptions& o) { o.teacher.teacher.clear(); }),
              HasSubstr("--unlabelled: needs --teacher"));
  const auto other_label = [&](TaggingOptions& o) {
    o.data.train_sets = {folder.file("other.tsv", "w1\tB-X\tK1\tintent1\n")};
  };
  EXPECT_THAT(message("", other_label),
              HasSubstr("the label 'B-X' is none of the 5 of " +
                        folder.path("teacher.safetensors") + "; hint: a student has the labels"));
  const auto without_labels = [](TaggingOptions& o) { o.data.train_sets.clear(); };
  EXPECT_THAT(message("--char-encoder cnn", without_labels), HasSubstr("--char-encoder: reads"));
  EXPECT_THAT(message("--label-smoothing 0.1", without_labels),
              HasSubstr("--label-smoothing: is not read without --train-sets"));
}

}  // namespace
}  // namespace weft::tasks
