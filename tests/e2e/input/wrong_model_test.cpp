// Files that are models, but not those that a command takes, and what is said of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/training.h"
#include "tests/e2e/translating.h"
#include "tests/support/small_models.h"

namespace weft::test {
namespace {

using testing::HasSubstr;

struct WrongModel {
  const char* command;
  int status;
  const char* message;
};

class WrongModels : public testing::Test {
 protected:
  WrongModels() { write_small_models(folder_); }

  void expect(std::initializer_list<WrongModel> all) const {
    for (const WrongModel& wrong : all) {
      const ProcessResult result = run_weft(words_of(wrong.command), {.folder = folder_.folder()});
      EXPECT_EQ(result.status, wrong.status) << wrong.command;
      EXPECT_THAT(result.errors, HasSubstr(wrong.message)) << wrong.command;
    }
  }

  Scratch folder_;
};

TEST_F(WrongModels, AreNamedWithTheCommandThatTheyAreFor) {
  expect({{"translate -m classifier", 1,
           "classifier: is a model of type 'classifier'; expected seq2seq; hint: it is for weft "
           "classify\n"},
          {"classify -m embedder", 1, "expected classifier; hint: it is for weft embed\n"},
          {"fill -m embedder", 1, "expected masked-lm; hint: it is for weft embed\n"},
          {"generate -m masked", 1, "hint: it is for weft fill\n"},
          {"tag -m translator", 1, "expected tagger; hint: it is for weft translate\n"},
          {"convert -m classifier --to-hf folder", 2,
           "--to-hf: a tokeniser of kind 'word'; expected one of Transformers\n"},
          {"convert -m vectors --to-hf folder", 2,
           "--to-hf: a model of type 'classifier' is none of Transformers\n"}});
}

TEST_F(WrongModels, AreNotTrainedByAnotherTask) {
  folder_.file("train.tsv", "x\tw1 w2\ny\tw2\n");
  const std::string before = read_bytes(folder_.path("translator"));
  expect({{"train classification -t train.tsv -v words -m translator", 2,
           "--model: 'translator' is a model of type 'seq2seq', of another task; expected another "
           "file, or --overwrite\n"},
          {"train classification -t train.tsv -v words -m no/model", 1,
           "weft: no: no such folder; expected one to write to\n"},
          {"train classify -t train.tsv", 2, "; hint: did you mean classification?\n"},
          {"train tag", 2, "; hint: did you mean tagging?\n"}});
  EXPECT_EQ(read_bytes(folder_.path("translator")), before);
}

TEST_F(WrongModels, MayBeTextsOrTrainingStates) {
  expect(
      {{"classify -m classifier hello", 1,
        "hello: no such model file; hint: --model takes several, and what is read is on standard "
        "input or in the file of --input\n"},
       {"classify -m classifier --top-k 2", 2, "hint: did you mean --scores?"}});
  write_toy_text(folder_);
  ASSERT_EQ(run_weft(toy_training(1, {"--quiet"}), {.folder = folder_.folder()}).status, 0);
  expect({{"translate -m model.training.safetensors", 1,
           "is the state of a training; expected the model beside it\n"}});
}

}  // namespace
}  // namespace weft::test
