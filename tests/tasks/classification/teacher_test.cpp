// Classifiers that learn from another one.
#include "weft/tasks/classification/teacher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/captured_log.h"
#include "tests/support/errors.h"
#include "tests/support/tensors.h"
#include "tests/tasks/classification/small_classification.h"
#include "tests/tasks/resumption.h"
#include "tests/train/small_training.h"
#include "weft/core/error.h"
#include "weft/predict/classification/numbers.h"

namespace weft::tasks {
namespace {

using test::Scratch;
using testing::HasSubstr;

std::string numbers_text(uint64_t seed, int lines) {
  std::istringstream in(test::toy_text(seed, lines).source);
  std::string out;
  for (std::string line; std::getline(in, line);) {
    out += std::to_string(std::stoi(line.substr(1)) % 3) + " 0." + std::to_string(line.size() % 7) +
           "\t" + line + "\n";
  }
  return out;
}

// A student with the options `flags` and a teacher of another width and vocabulary.
ClassificationOptions taught_classification(const Scratch& folder, const std::string& flags = "") {
  const std::string kinds[] = {"--labels numbers", "--labels several", "--labels sequence"};
  std::string labels;
  for (const std::string& kind : kinds) labels += flags.find(kind) == flags.npos ? "" : kind;
  const Scratch elsewhere;
  ClassificationOptions teacher = small_classification(elsewhere, labels + " --dim-emb 24");
  ClassificationOptions o = small_classification(folder, flags);
  if (o.model.has_numbers()) {
    teacher.data.train_sets = {elsewhere.file("train.tsv", numbers_text(3, 90))};
    o.data.train_sets = {folder.file("train.tsv", numbers_text(1, 100))};
    o.validation.valid_sets = {folder.file("valid.tsv", numbers_text(2, 40))};
    teacher.validation.valid_sets.clear();
  }
  teacher.loop.model = folder.path("teacher.safetensors");
  if (!std::filesystem::exists(teacher.loop.model)) train_classifier(teacher);
  o.teacher.teacher = teacher.loop.model;
  if (!o.model.is_sequence()) {
    o.teacher.unlabelled = {folder.file("lines.txt", test::toy_text(5, 60).source + "\n \n")};
  }
  return o;
}

TEST(ClassifierTeacher, GoesOnAsIfNeverStopped) {
  for (const std::string flags :
       {"", "--teacher-temperature 2 --class-weights balanced --optimizer-delay 2",
        "--labels several --teacher-weight 0.3", "--labels sequence", "--labels numbers",
        "--precision bfloat16"}) {
    expect_resumes<Classification>(taught_classification, flags);
  }
}

// Losses computed in double, of a batch of three examples. The last one has no label.
class LossOfATeacher : public testing::Test {
 protected:
  void make(const std::string& flags) {
    const ClassificationOptions o = taught_classification(folder_, flags);
    train_classifier(o);
    session_ = model_file::load<model_file::ClassifierSession>(o.loop.model);
    teacher_.emplace(o);
    data::Tokens texts, theirs;
    for (const std::string text : {"w1 w2", "w5 w7 w1", "w3"}) {
      texts.add(session_.text.tokeniser->encode(text), session_.text.tokeniser->end_id());
      const data::Tokeniser& tokeniser = *teacher_->session().text.tokeniser;
      theirs.add(tokeniser.encode(text), tokeniser.end_id());
    }
    batch_.fields = {texts, data::Labels(), theirs};
    batch_.examples = {0, 1, 2};
  }
  void set_labels(std::vector<int32_t> ids, std::vector<float> values, Segments segments) {
    batch_.fields[1] = data::Labels{std::move(ids), std::move(values), std::move(segments)};
  }
  ops::Loss loss() const {
    return teacher_->loss(session_.model, TaughtExamples(batch_, 2, 2), {.weight = 0.5},
                          session_.numbers, {});
  }
  Tensor ours() const { return session_.model.logits(batch_.fields[0], {}); }
  Tensor theirs() const { return teacher_->session().model.logits(batch_.fields[2], {}); }
  static double at(const Tensor& x, int64_t row, int64_t col) {
    return x.data<float>()[row * x.stride() + col];
  }

  Scratch folder_;
  model_file::ClassifierSession session_;
  std::optional<ClassifierTeacher> teacher_;
  data::Batch batch_;
};

std::vector<double> softmax(const std::vector<double>& x) {
  std::vector<double> out;
  double sum = 0;
  for (const double value : x) sum += std::exp(value);
  out.reserve(x.size());
  for (const double value : x) out.push_back(std::exp(value) / sum);
  return out;
}

double divergence_of(const std::vector<double>& z, const std::vector<double>& y) {
  const std::vector<double> t = softmax(z), p = softmax(y);
  double out = 0;
  for (size_t i = 0; i < t.size(); ++i) out += t[i] * std::log(t[i] / p[i]);
  return out;
}

TEST_F(LossOfATeacher, IsAMixtureOfTruthAndTeacher) {
  make("--teacher-weight 0.3 --teacher-temperature 2");
  set_labels({1, 0}, {}, {{0, 1, 2, 2}});
  const Tensor y = ours(), z = theirs();
  double expected = 0;
  for (int64_t row = 0; row < 3; ++row) {
    std::vector<double> student, softened, teacher;
    for (int64_t c = 0; c < 3; ++c) {
      student.push_back(at(y, row, c));
      softened.push_back(at(y, row, c) / 2);
      teacher.push_back(at(z, row, c) / 2);
    }
    const double taught = 4 * divergence_of(teacher, softened);
    const size_t label = row == 0 ? 1 : 0;
    expected += row == 2 ? taught : 0.3 * taught - 0.7 * std::log(softmax(student)[label]);
  }
  EXPECT_NEAR(loss().total, expected, 1e-5);
  EXPECT_NEAR(loss().value.item(), expected / 2, 1e-5);
}

TEST_F(LossOfATeacher, OfSeveralLabelsIsOfEachOfThem) {
  make("--labels several --teacher-weight 0.3 --teacher-temperature 2");
  set_labels({0, 2}, {}, {{0, 2, 2, 2}});  // the second example has no label of its own
  const Tensor y = ours(), z = theirs();
  double expected = 0;
  for (int64_t row = 0; row < 3; ++row) {
    for (int64_t c = 0; c < 3; ++c) {
      const double taught = 4 * divergence_of({at(z, row, c) / 2, 0}, {at(y, row, c) / 2, 0});
      const bool has_label = row == 0 && c != 1;
      const double p = softmax({at(y, row, c), 0})[has_label ? 0 : 1];
      expected += (row == 2 ? taught : 0.3 * taught - 0.7 * std::log(p)) / 3;
    }
  }
  EXPECT_NEAR(loss().total, expected, 1e-5);
  EXPECT_NEAR(loss().value.item(), expected / 2, 1e-5);
}

TEST_F(LossOfATeacher, OfNumbersIsTheSquaredError) {
  make("--labels numbers --teacher-weight 0.3");
  set_labels({}, {1, -1, 0.5, 2}, {{0, 2, 4, 4}});
  const Tensor y = ours(), z = theirs();
  const auto& [mean, deviation] = teacher_->session().numbers;
  double expected = 0;
  const double truth[] = {1, -1, 0.5, 2};
  for (int64_t row = 0; row < 3; ++row) {
    for (int64_t c = 0; c < 2; ++c) {
      const auto column = static_cast<size_t>(c);
      const double taught =
          (at(z, row, c) * deviation[column] + mean[column] - session_.numbers.mean[column]) /
          session_.numbers.deviation[column];
      const double to_teacher = std::pow(at(y, row, c) - taught, 2);
      const double to_truth = row == 2 ? 0 : std::pow(at(y, row, c) - truth[2 * row + c], 2);
      expected += (row == 2 ? to_teacher : 0.3 * to_teacher + 0.7 * to_truth) / 2;
    }
  }
  EXPECT_NEAR(loss().total, expected, 1e-5);
  EXPECT_NEAR(loss().value.item(), expected / 2, 1e-5);
}

// Lines with a word that says the label: `label TAB words`, or the words alone.
std::string marked_text(uint64_t seed, int lines, bool has_labels) {
  std::istringstream in(test::toy_text(seed, lines).source);
  std::string out;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    const std::string label = std::to_string(number++ % 3);
    out += (has_labels ? "class" + label + "\t" : "") + line + " mark" + label + "\n";
  }
  return out;
}

// On text without labels alone.
TEST(ClassifierTeacher, TeachesItsLabels) {
  const Scratch folder;
  const std::string flags = "--after 100u --learn-rate 0.01 --transformer-dropout 0";
  ClassificationOptions teacher = small_classification(folder, flags);
  teacher.data.train_sets = {folder.file("marked.tsv", marked_text(1, 200, true))};
  teacher.validation.valid_sets = {folder.file("marked.valid.tsv", marked_text(2, 40, true))};
  teacher.loop.model = folder.path("teacher.safetensors");
  train_classifier(teacher);
  ClassificationOptions o = small_classification(folder, flags + " --valid-freq 100u");
  o.validation.valid_sets = teacher.validation.valid_sets;
  o.data.train_sets.clear();
  o.data.vocabs = {folder.path("other.vocab")};
  o.teacher.teacher = teacher.loop.model;
  o.teacher.unlabelled = {folder.file("lines.txt", marked_text(7, 300, false))};
  const test::CapturedLog told;
  train_classifier(o);
  const size_t found = told.text().rfind("accuracy ");
  ASSERT_NE(found, std::string::npos);
  EXPECT_GE(std::stod(told.text().substr(found + 9)), 0.8);
  EXPECT_THAT(told.text(), HasSubstr("lines.txt: 300 examples, 300 without labels; tokens"));
}

TEST(ClassifierTeacher, RefusesWhatContradicts) {
  const Scratch folder;
  const auto message = [&](const std::string& flags, const auto& change) {
    ClassificationOptions o = taught_classification(folder, flags);
    change(o);
    return test::message_of<Error>([&] { train_classifier(o); });
  };
  const auto none = [](ClassificationOptions&) {};
  const auto alone = [](ClassificationOptions& o) { o.teacher.teacher.clear(); };
  EXPECT_EQ(message("", alone),
            "--unlabelled: needs --teacher, a model whose output is learned on text without "
            "labels");
  EXPECT_EQ(message("--teacher-temperature 2",
                    [](ClassificationOptions& o) {
                      o.teacher.teacher.clear();
                      o.teacher.unlabelled.clear();
                    }),
            "--teacher-temperature: is not read without --teacher; expected its default, 1");
  EXPECT_THAT(message("--labels numbers --teacher-temperature 2", none),
              HasSubstr("--teacher-temperature: is of probabilities; expected 1"));
  EXPECT_THAT(message("--labels sequence",
                      [](ClassificationOptions& o) { o.teacher.unlabelled = {"lines.txt"}; }),
              HasSubstr("--unlabelled: a teacher of --labels sequence is asked for"));
  const auto without_labels = [](ClassificationOptions& o) { o.data.train_sets.clear(); };
  EXPECT_THAT(message("--teacher-weight 0.2", without_labels),
              HasSubstr("--teacher-weight: is not read without --train-sets"));
  EXPECT_THAT(message("--class-weights balanced", without_labels),
              HasSubstr("--class-weights: is not read without --train-sets"));
  EXPECT_THAT(message("",
                      [](ClassificationOptions& o) {
                        o.data.train_sets.clear();
                        o.teacher = {};
                      }),
              HasSubstr("--train-sets: missing; expected labelled text"));
}

TEST(ClassifierTeacher, RefusesOtherModels) {
  const Scratch folder;
  ClassificationOptions o = taught_classification(folder);
  const std::string teacher = o.teacher.teacher;
  o.data.train_sets = {folder.file("other.tsv", "class0\tw1\nclass9\tw2\n")};
  EXPECT_EQ(test::message_of<FormatError>([&] { train_classifier(o); }),
            o.data.train_sets.front() + ": the label 'class9' is none of the 3 of " + teacher +
                "; hint: a student has the labels of its teacher; leave out these texts, or give "
                "another teacher");
  ClassificationOptions several = small_classification(folder, "--labels several");
  several.teacher.teacher = teacher;
  EXPECT_EQ(test::message_of<OptionError>([&] { train_classifier(several); }),
            "--teacher: " + teacher + " has --labels one; expected several, as the student");
  ClassificationOptions start = small_classification(folder, "--overwrite");
  start.data.train_sets = {folder.file("two.tsv", "class0\tw1\nclass1\tw2\n")};
  start.validation.valid_sets.clear();
  train_classifier(start);
  ClassificationOptions next;
  next.start.from = start.loop.model;
  next.loop.model = folder.path("next.safetensors");
  next.data.train_sets = start.data.train_sets;
  next.teacher.teacher = teacher;
  EXPECT_EQ(test::message_of<OptionError>([&] { train_classifier(next); }),
            "--teacher: " + teacher +
                ": the label 'class2' is of the teacher alone; expected the same labels; hint: "
                "--new-head takes those of the teacher");
}

}  // namespace
}  // namespace weft::tasks
