// Patches and batches of pictures that follow from their size, options that do not go together, and
// trainings of earlier versions, which had others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "tests/support/captured_log.h"
#include "tests/support/errors.h"
#include "tests/support/options.h"
#include "tests/tasks/labels/toy_pictures.h"
#include "weft/core/error.h"
#include "weft/formats/safetensors.h"
#include "weft/tasks/classification/classification.h"
#include "weft/train/trainer.h"

namespace weft::tasks {
namespace {

using testing::HasSubstr;

class PictureDefaults : public testing::Test {
 protected:
  PictureDefaults() { test::write_toy_pictures(folder_); }
  void train(const std::string& model, const std::string& flags) const {
    ClassificationOptions o;
    test::set(o,
              "--input image --image-size 64 --enc-depth 1 --dim-emb 8 --transformer-heads 2 "
              "--transformer-dim-ffn 8 --precision float32 --transformer-dropout 0 " +
                  flags);
    o.loop.model = folder_.path(model);
    o.data.train_sets = {folder_.file("train.tsv", test::pictures_text(1, 30))};
    const std::atomic<bool> stop{false};
    train::Trainer(std::make_unique<Classification>(o)).run(stop, [](const auto&) {});
  }
  std::string bytes(const std::string& model) const {
    return test::read_bytes(folder_.path(model));
  }
  // Changes the options that are recorded in a training state.
  void record(const std::string& model, const std::string& from, const std::string& to) const {
    const std::string path = folder_.path(model + ".training.safetensors");
    formats::NamedTensors tensors;
    std::map<std::string, std::string> metadata;
    {
      const formats::SafetensorsFile file(path);
      metadata = file.metadata();
      for (const std::string& name : file.names()) {
        tensors.emplace_back(name, file.tensor(name).clone());
      }
    }
    std::string& options = metadata.at("weft.training-options");
    options.replace(options.find(from), from.size(), to);
    formats::save_safetensors(path, tensors, metadata, {}, formats::WithChecksum::kYes);
  }

  test::Scratch folder_;
};

TEST_F(PictureDefaults, FollowFromTheSizeOfPictures) {
  const test::CapturedLog log;
  train("plain", "--after 3u --position learned");
  EXPECT_THAT(log.text(), HasSubstr("patches of 8 x 8 pixels, 64 of a picture (--patch-size)"));
  train("given",
        "--after 3u --position learned --patch-size 8 --mini-batch 64 "
        "--mini-batch-words 0");
  EXPECT_EQ(bytes("plain"), bytes("given"));
  train("resumed", "--after 1u --position learned");
  train("resumed", "--after 3u --position learned");
  EXPECT_EQ(bytes("resumed"), bytes("plain"));
  // 1,024 positions are more than the usual table of 512 has.
  train("many", "--after 1u --position learned --patch-size 2");
  EXPECT_THAT(log.warnings(), HasSubstr("have 1024 patches of 2 x 2"));
}

// Patches of 4 by 4 and batches of 1,024 of them, by default.
TEST_F(PictureDefaults, OfEarlierVersionsStayInTrainingsThatBeganWithThem) {
  const std::string earlier = "--patch-size 4 --mini-batch 1024 ";
  train("whole", earlier + "--after 9u");
  train("resumed", earlier + "--after 4u");
  record("resumed", "\"mini-batch\":1024", "\"mini-batch\":0");
  train("resumed", "--after 6u");
  train("resumed", "--after 9u");
  EXPECT_EQ(bytes("resumed"), bytes("whole"));
}

// No patch would see it, and it would see the patches of the upper left corner alone.
TEST_F(PictureDefaults, RefuseTheClassTokenOfConvolutionsInNewTrainings) {
  ClassificationOptions o;
  test::set(o, "--input image --type cnn --pooling first --enc-depth 1 --dim-emb 8");
  o.loop.model = folder_.path("model");
  o.data.train_sets = {folder_.file("train.tsv", test::pictures_text(1, 30))};
  const auto group = train::single_process();
  EXPECT_THAT(test::message_of<OptionError>([&] { Classification(o).make_model(*group, false); }),
              HasSubstr("--pooling: first is not for --type cnn, "));
  EXPECT_NO_THROW(Classification(o).make_model(*group, true));  // begun by an earlier version
  test::set(o, "--pooling mean");
  EXPECT_NO_THROW(Classification(o).make_model(*group, false));
}

}  // namespace
}  // namespace weft::tasks
