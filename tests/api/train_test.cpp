#include "weft/train.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <iterator>
#include <stdexcept>

#include "tests/support/errors.h"
#include "tests/support/scratch.h"
#include "weft/classify.h"
#include "weft/convert.h"
#include "weft/error.h"
#include "weft/settings.h"
#include "weft/train/file_lock.h"

namespace weft {
namespace {

using test::message_of;
using testing::HasSubstr;

// Labelled words in a folder, and options to train on them in little time.
class PublicTraining : public testing::Test {
 protected:
  Options options(const std::string& model) const {
    return {{"train-sets", {text_}},
            {"model", scratch_.path(model)},
            {"vocabs", {scratch_.path("words.vocab")}},
            {"after", "4u"},
            {"dim-emb", 16},
            {"enc-depth", 1},
            {"transformer_heads", 2},
            {"learn-rate", 0.01}};
  }
  std::string bytes(const std::string& model) const {
    return test::read_bytes(scratch_.path(model));
  }

  test::Scratch scratch_;
  std::string text_ = scratch_.file("text.tsv", "x\ta b\ny\tc d\nx\ta a\ny\td c\n");
};

TEST_F(PublicTraining, TrainsAndTellsOfEachUpdate) {
  std::vector<int64_t> updates;
  const TrainingResult result =
      train_model("classification", options("model"), [&](const TrainingProgress& now) {
        updates.push_back(now.update);
        EXPECT_GE(now.gradient_norm, 0);
        return true;
      });
  EXPECT_EQ(result.end, TrainingEnd::kFinished);
  EXPECT_EQ(result.updates, 4);
  EXPECT_THAT(updates, testing::ElementsAre(1, 2, 3, 4));
  const std::vector<std::string> texts = {"a b", "c d"};
  EXPECT_EQ(Classifier(load(scratch_.path("model"))).classify(texts).size(), 2u);
  EXPECT_EQ(train_model("classification", options("model")).end, TrainingEnd::kWasFinished);
}

TEST_F(PublicTraining, GoesOnWhereItWasStoppedToTheSameBytes) {
  train_model("classification", options("whole"));
  const TrainingResult stopped =
      train_model("classification", options("parts"),
                  [](const TrainingProgress& now) { return now.update < 2; });
  EXPECT_EQ(stopped.end, TrainingEnd::kStopped);
  EXPECT_EQ(stopped.updates, 2);
  EXPECT_EQ(train_model("classification", options("parts")).end, TrainingEnd::kFinished);
  EXPECT_TRUE(bytes("whole") == bytes("parts"));
}

TEST_F(PublicTraining, IsGivenUpWhileItReads) {
  int calls = 0;
  const TrainingHooks hooks{.on_update =
                                [](const TrainingProgress&) {
                                  ADD_FAILURE() << "data were not read yet";
                                  return false;
                                },
                            .while_reading =
                                [&] {
                                  ++calls;
                                  throw std::runtime_error("given up");
                                }};
  const auto files = [&] {
    return std::distance(std::filesystem::directory_iterator(scratch_.folder()),
                         std::filesystem::directory_iterator());
  };
  const auto before = files();
  EXPECT_EQ(message_of<std::runtime_error>(
                [&] { train_model("classification", options("model"), hooks, Ranks()); }),
            "given up");
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(files(), before);
  // After the data are read nobody asks any more.
  std::vector<std::string> heard;
  const TrainingHooks in_order{.on_update =
                                   [&](const TrainingProgress&) {
                                     heard.emplace_back("update");
                                     return false;
                                   },
                               .while_reading = [&] { heard.emplace_back("reading"); },
                               .on_start = [&] { heard.emplace_back("start"); }};
  train_model("classification", options("model"), in_order, Ranks());
  EXPECT_EQ(heard.front(), "reading");
  EXPECT_THAT(std::vector(heard.end() - 2, heard.end()), testing::ElementsAre("start", "update"));
}

TEST_F(PublicTraining, NamesWhatIsWrong) {
  const auto refused = [&](std::string_view task, const Option& more) {
    Options given = options("none");
    given.push_back(more);
    return message_of<OptionError>([&] { train_model(task, given); });
  };
  EXPECT_THAT(refused("clasification", {"seed", 1}),
              HasSubstr("unknown task 'clasification'; expected translation, "));
  EXPECT_THAT(refused("clasification", {"seed", 1}), HasSubstr("did you mean classification?"));
  EXPECT_THAT(refused("classification", {"learning-rat", 1}), HasSubstr("learning-rat: unknown"));
  EXPECT_THAT(refused("classification", {"seed", "x"}), HasSubstr("seed: not a whole number"));
  EXPECT_THAT(refused("classification", {"seed", {1, 2}}), HasSubstr("seed"));
  EXPECT_THAT(message_of<OptionError>([&] { train_model("classification", {}); }),
              HasSubstr("--model: not given"));
  EXPECT_EQ(scratch_.names(), std::vector<std::string>{"text.tsv"});
}

TEST_F(PublicTraining, SaysWhatItDoesToTheLog) {
  std::string log;
  send_log([&](LogLevel, std::string_view line) { log.append(line).append("\n"); });
  train_model("classification", options("logged"));
  send_log({});
  EXPECT_THAT(log, HasSubstr("parameters"));
}

TEST_F(PublicTraining, MakesSmallerAndOtherFiles) {
  train_model("classification", options("model"));
  const std::string model = scratch_.path("model");
  quantize({{"model", model}, {"output", scratch_.path("small")}});
  EXPECT_LT(bytes("small").size(), bytes("model").size());
  average({{"model", {model, model}}, {"output", scratch_.path("mean")}});
  EXPECT_EQ(load(scratch_.path("mean")).kind(), "classifier");
  EXPECT_THAT(message_of<OptionError>([] { convert({}); }), HasSubstr("expected --from-hf"));
  EXPECT_THROW(quantize({{"model", model}, {"output", model + "/x"}}), FileError);
}

TEST_F(PublicTraining, ReplacesNoModelOfATraining) {
  train_model("classification", options("model"));
  const std::string model = scratch_.path("model"), busy = scratch_.path("busy");
  std::filesystem::create_symlink("busy", scratch_.path("link"));
  const train::FileLock training(busy + ".safetensors.lock");
  for (const std::string& output : {busy, scratch_.path("link")}) {
    const std::function<void()> writes[] = {
        [&] {
          quantize({{"model", model}, {"output", output}});
        },
        [&] {
          average({{"model", {model, model}}, {"output", output}});
        },
        [&] {
          convert({{"from-hf", scratch_.path("folder")}, {"output", output}});
        },
        [&] {
          convert({{"model", model}, {"to-gguf", output}});
        }};
    for (const auto& write : writes) {
      EXPECT_EQ(message_of<FileError>(write),
                output + ": another process is training this model; expected another file");
    }
  }
  EXPECT_FALSE(std::filesystem::exists(busy));
}

TEST(PublicOptions, KeepNumbersExact) {
  EXPECT_EQ(OptionValue(0.1).texts().front(), "0.1");
  EXPECT_EQ(OptionValue(1e-300).texts().front(), "1e-300");
  EXPECT_EQ(OptionValue(3).texts().front(), "3");
  EXPECT_EQ(OptionValue(true).texts().front(), "true");
  EXPECT_EQ(OptionValue({"a", "b"}).texts(), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(OptionValue(std::vector<double>{1}).is_list());
}

}  // namespace
}  // namespace weft
