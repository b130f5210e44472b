// weft train detection and weft detect: what they learn, print, draw and refuse.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/e2e/comparing.h"
#include "tests/e2e/training.h"
#include "tests/e2e/translating.h"
#include "tests/support/pictures.h"
#include "tests/tasks/labels/toy_boxes.h"
#include "weft/data/images/image_file.h"

namespace weft::test {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

class Detect : public testing::Test {
 protected:
  Detect() {
    write_boxed_pictures(folder_);
    folder_.file("train.jsonl", boxes_text(1, 400));
    folder_.file("test.jsonl", boxes_text(3, 60));
  }
  ProcessResult run(const std::string& args, const std::string& input = "") const {
    return run_weft(words_of(args), {.input = input, .folder = folder_.folder()});
  }
  void train(const std::string& more) const {
    const ProcessResult result =
        run("train detection -t train.jsonl --valid-sets test.jsonl -m boxes.safetensors "
            "--patch-size 4 --enc-depth 2 --dec-depth 1 --dim-emb 32 --transformer-heads 4 "
            "--transformer-dim-ffn 64 --query-count 5 --mini-batch 16 --lr-warmup 10 "
            "--transformer-dropout 0 --learn-rate 0.003 --valid-freq 0 " +
            more);
    ASSERT_EQ(result.status, 0) << result.errors;
    EXPECT_THAT(result.errors, HasSubstr("train.jsonl: 400 pictures of 16 x 16, "));
  }

  Scratch folder_;
};

TEST_F(Detect, FindsTheObjectsOfPictures) {
  train("--after 600u --lr-schedule cosine --lr-decay-updates 600 --random-flip --random-crop 2");
  const ProcessResult found = run("detect -m boxes.safetensors --evaluate test.jsonl");
  ASSERT_EQ(found.status, 0) << found.errors;
  ASSERT_THAT(found.output, StartsWith("AP at IoU 0.5 "));
  EXPECT_GT(std::stod(found.output.substr(14)), 0.7) << found.output;
  EXPECT_THAT(found.output, HasSubstr("\nlight "));
  const auto measured = nlohmann::json::parse(
      run("detect -m boxes.safetensors --evaluate test.jsonl --json --predictions found.jsonl")
          .output);
  EXPECT_EQ(measured["labels"].size(), 2u);
  expect_compared(folder_, "found.jsonl", 60, "AP", measured["ap"]);
  expect_compared(folder_, "found.jsonl", 60, "AP50", measured["ap50"]);
  // What it prints is what it reads.
  const ProcessResult printed =
      run("detect -m boxes.safetensors --threshold 0.01", paths_of_boxes(boxes_text(3, 60)));
  ASSERT_EQ(printed.status, 0) << printed.errors;
  EXPECT_THAT(printed.errors, HasSubstr("detected objects in 60 pictures"));
  folder_.file("printed.jsonl", printed.output);
  const ProcessResult again = run("detect -m boxes.safetensors --evaluate printed.jsonl");
  EXPECT_EQ(again.status, 0) << again.errors;
}

TEST_F(Detect, PrintsALineOfJsonForEveryPicture) {
  train("--after 3u");
  const ProcessResult result =
      run("detect -m boxes.safetensors --threshold 0", "boxed/1.png\n\nnone.png\n");
  ASSERT_EQ(result.status, 0) << result.errors;
  const std::vector<std::string> lines = split_lines(result.output);
  ASSERT_EQ(lines.size(), 3u);
  const auto first = nlohmann::json::parse(lines[0]);
  EXPECT_EQ(first["image"], "boxed/1.png");
  ASSERT_EQ(first["boxes"].size(), 10u);
  EXPECT_EQ(first["boxes"][0]["box"].size(), 4u);
  EXPECT_GE(first["boxes"][0]["score"], first["boxes"][9]["score"]);
  EXPECT_FALSE(first.contains("error"));
  EXPECT_EQ(lines[1], R"({"image":"","boxes":[],"error":"no path"})");
  EXPECT_THAT(lines[2], MatchesRegex(R"(\{"image":"none.png","boxes":\[\],"error":"none.png: .*)"));
  EXPECT_EQ(run("detect -m boxes.safetensors --strict", "none.png\n").status, 1);
  EXPECT_EQ(run("detect -m boxes.safetensors --threshold 1", "boxed/1.png\n").output,
            "{\"image\":\"boxed/1.png\",\"boxes\":[]}\n");
}

TEST_F(Detect, DrawsBoxesOnCopies) {
  train("--after 3u");
  const std::string before = read_bytes(folder_.path("boxed/1.png"));
  const ProcessResult result = run("detect -m boxes.safetensors --threshold 0 --draw drawn",
                                   "boxed/1.png\nnone.png\nboxed/1.png\n");
  ASSERT_EQ(result.status, 0) << result.errors;
  const data::Image drawn = data::read_image(folder_.path("drawn/1_1.png"));
  EXPECT_EQ(drawn.height, 16);
  EXPECT_EQ(drawn.channels, 3);
  EXPECT_NE(drawn.pixels, data::with_channels(toy_boxed_picture(1), 3).pixels);
  EXPECT_TRUE(std::filesystem::exists(folder_.path("drawn/3_1.png")));
  EXPECT_FALSE(std::filesystem::exists(folder_.path("drawn/2_none.png")));
  EXPECT_EQ(read_bytes(folder_.path("boxed/1.png")), before);
}

// The boxes of its pictures are those of the same pictures in files.
TEST_F(Detect, ReadsPicturesOfAnIdxFile) {
  train("--after 3u");
  std::vector<data::Image> pictures;
  std::string paths;
  for (int number = 0; number < 7; ++number) {
    pictures.push_back(toy_boxed_picture(number));
    paths += "boxed/" + std::to_string(number) + ".png\n";
  }
  folder_.file("images", idx_of_images(pictures));
  folder_.file("labels", idx_of_labels({1, 2}));
  const std::string command = "detect -m boxes.safetensors --threshold 0 --mini-batch 3 ";
  const ProcessResult found = run(command + "-i images --draw drawn"), listed = run(command, paths);
  ASSERT_EQ(found.status, 0) << found.errors;
  const std::vector<std::string> lines = split_lines(found.output);
  const std::vector<std::string> expected = split_lines(listed.output);
  ASSERT_EQ(lines.size(), 7u);
  for (size_t i = 0; i < lines.size(); ++i) {
    const auto json = nlohmann::json::parse(lines[i]);
    EXPECT_EQ(json["image"], "images:" + std::to_string(i + 1));
    EXPECT_EQ(json["boxes"], nlohmann::json::parse(expected[i])["boxes"]);
  }
  EXPECT_EQ(data::read_image(folder_.path("drawn/7_images:7.png")).height, 16);
  const ProcessResult labels = run(command + "-i labels");
  EXPECT_EQ(labels.status, 1);
  EXPECT_THAT(labels.errors, HasSubstr("labels: expected an IDX file of pictures"));
  const ProcessResult piped = run(command, read_bytes(folder_.path("images")));
  EXPECT_EQ(piped.status, 1);
  EXPECT_EQ(piped.output, "");
  EXPECT_THAT(piped.errors, HasSubstr("is in MNIST's form (IDX); expected a list of paths"));
}

TEST_F(Detect, NamesWhatIsWrong) {
  train("--after 2u");
  folder_.file("unknown.jsonl",
               R"({"image": "boxed/1.png", "boxes": [{"label": "x", "box": [0, 0, 4, 4]}]})");
  folder_.file("outside.jsonl",
               "\n"
               R"({"image": "boxed/1.png", "boxes": [{"label": "light", "box": [9, 9, 9, 9]}]})");
  const struct {
    const char* args;
    int status;
    const char* message;
  } cases[] = {
      {"detect", 2, "--model"},
      {"detect -m none", 1, "none: cannot be opened"},
      {"detect -m boxes.safetensors --bad-boxes clip", 2, "--bad-boxes: is not read without"},
      {"detect -m boxes.safetensors --threshold 0.2 --evaluate test.jsonl", 2,
       "--threshold: is not read with --evaluate"},
      {"detect -m boxes.safetensors --evaluate unknown.jsonl", 1,
       "unknown.jsonl:1: box 1: the label 'x' is unknown"},
      {"detect -m boxes.safetensors --evaluate outside.jsonl", 1,
       "outside.jsonl:2: box 1: the box [9, 9, 9, 9] of a picture of 16 by 16 pixels"},
      {"classify -m boxes.safetensors", 1, "is a model of type 'detector'; expected classifier"},
      {"train detection -m m", 2, "--train-sets"},
      {"train detection -m m -t none.jsonl", 1, "none.jsonl: cannot be opened"},
      {"train detection -m m -t train.jsonl --patch-size 5", 2, "--patch-size: expected 4, 8, 16"},
      {"train detection -m m -t train.jsonl --type rnn", 2, "--type"},
      {"train detection -m m -t outside.jsonl", 1, "hint: --bad-boxes clip or skip"},
  };
  for (const auto& c : cases) {
    const ProcessResult result = run(c.args);
    EXPECT_EQ(result.status, c.status) << c.args << "\n" << result.errors;
    EXPECT_THAT(result.errors, HasSubstr(c.message)) << c.args;
  }
  const ProcessResult clipped =
      run("detect -m boxes.safetensors --evaluate outside.jsonl --bad-boxes clip");
  EXPECT_EQ(clipped.status, 0) << clipped.errors;
  EXPECT_THAT(clipped.errors, HasSubstr("1 boxes clipped"));
}

}  // namespace
}  // namespace weft::test
