// Taggers that learn from another one.
#include "weft/tasks/tagging/teacher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

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

// With columns of words and of texts. Of the two texts the second has no labels.
TEST(TaggerTeacher, SaysOfEachWordWhatItIs) {
  const Scratch folder;
  const TaggingOptions o = taught_tagging(folder, "--teacher-weight 0.3 --teacher-temperature 2");
  train_tagger(o);
  const auto session = model_file::load<model_file::TaggerSession>(o.loop.model);
  const TaggerTeacher teacher(o, session.model.options);
  const auto add = [](const data::Tokeniser& tokeniser, data::Tokens& to) {
    to.add(tokeniser.encode("w1 w4"), tokeniser.end_id());
    to.add(tokeniser.encode("w3 w2 w1"), tokeniser.end_id());
  };
  data::Tokens ours, theirs;
  add(session.tokeniser(), ours);
  add(teacher.session().tokeniser(), theirs);
  const data::Labels words{{0, 1, 0, 1, 2}, {}, {{0, 2, 5}}};
  const data::Labels of_words{{1, 3}, {}, {{0, 2, 2}}}, of_texts{{2}, {}, {{0, 1, 1}}};
  const data::Batch batch{.fields = {ours, of_words, of_words, of_texts, words, theirs, words},
                          .examples = {0, 1}};
  const TaughtExamples examples(batch, 5, 1);
  const ops::Loss found =
      teacher.loss(session.model, examples, {.weights = {1, 0.5, 2}, .weight = 0.25}, {});
  const auto y = session.model(models::tagger_input(examples.student, 3, false), {});
  const auto z = teacher.session().model(models::tagger_input(examples.teacher, 0, false), {});
  double expected = 0;
  const double weights[] = {1, 0.5, 2};
  for (size_t c = 0; c < 3; ++c) {
    const std::vector<int32_t> labels = c == 2 ? of_texts.ids : of_words.ids;
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
  const auto none = [](TaggingOptions&) {};
  EXPECT_EQ(message("--crf spans", none),
            "--crf: with --teacher, whose labels are learned word by word, expected none");
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
