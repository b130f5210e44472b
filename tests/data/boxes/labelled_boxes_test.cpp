#include "weft/data/boxes/labelled_boxes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/captured_log.h"
#include "tests/support/errors.h"
#include "tests/support/scratch.h"
#include "weft/core/error.h"
#include "weft/data/images/png.h"

namespace weft::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Files of the picture a.png, 20 wide and 10 high, in each form.
class LabelledBoxesFile : public testing::Test {
 protected:
  LabelledBoxesFile() {
    const Image picture{10, 20, 1, std::vector<uint8_t>(200, 7)};
    std::filesystem::create_directories(folder_.path("voc/JPEGImages"));
    std::filesystem::create_directories(folder_.path("voc/Annotations"));
    std::filesystem::create_directories(folder_.path("voc/ImageSets/Main"));
    folder_.file("a.png", encode_png(picture));
    folder_.file("voc/JPEGImages/a.png", encode_png(picture));
    voc("a", "<xmin>1</xmin><ymin>1</ymin><xmax>10</xmax><ymax>5</ymax>");
  }
  void voc(const std::string& name, const std::string& corners) const {
    folder_.file("voc/Annotations/" + name + ".xml",
                 "<annotation><filename>a.png</filename><object><name>cup</name><bndbox>" +
                     corners + "</bndbox></object></annotation>");
  }
  std::string lines(const std::string& boxes, const std::string& image = "a.png") const {
    return folder_.file("t.jsonl",
                        "\n{\"image\": \"" + image + "\", \"boxes\": [" + boxes + "]}\n");
  }
  static LabelledBoxes read(const std::vector<std::string>& files,
                            const LabelledBoxesOptions& options = {}) {
    return {files, options, LabelSet({"cup", "spoon"}, "labels")};
  }
  static std::vector<float> boxes_of(const LabelledBoxes& pictures) {
    std::vector<int64_t> all;
    for (int64_t i = 0; i < pictures.size(); ++i) all.push_back(i);
    return std::get<Features>(pictures.batch(all).fields[2]).values;
  }

  test::Scratch folder_;
};

constexpr const char* kCup = R"({"label": "cup", "box": [0, 0, 10, 5]})";

// Annotations and pictures of Pascal VOC side by side, in folders of other names, in many folders.
TEST_F(LabelledBoxesFile, ReadsPascalVocInAnyLayoutOfFolders) {
  const std::string picture = test::read_bytes(folder_.path("a.png"));
  const std::string annotation = test::read_bytes(folder_.path("voc/Annotations/a.xml"));
  const auto put = [&](const std::string& path, const std::string& bytes) {
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    std::filesystem::create_directories(folder_.path(folder.string()));
    return folder_.file(path, bytes);
  };
  const auto expect_cup = [&](const std::string& set, const std::string& image_folder = "") {
    SCOPED_TRACE(set);
    EXPECT_THAT(boxes_of(read({folder_.path(set)}, {.image_folder = image_folder})),
                ElementsAre(0.25F, 0.25F, 0.5F, 0.5F));
  };
  put("flat/a.xml", annotation);
  put("flat/a.png", picture);
  put("flat/train.txt", "a\n");
  expect_cup("flat");
  expect_cup("flat/a.xml");
  expect_cup("flat/train.txt");
  put("named/Annotations/a.xml", annotation);
  put("named/images/a.png", picture);
  put("named/train.txt", "a\n");
  expect_cup("named");
  expect_cup("named/Annotations/a.xml");
  expect_cup("named/train.txt");
  put("deep/one/labels/a.xml", annotation);
  put("deep/one/pictures/a.png", picture);
  expect_cup("deep");
  put("apart/a.xml", annotation);
  expect_cup("apart", folder_.path("named/images"));
  const auto error = [&](const std::string& set) {
    return test::message_of<FormatError>([&] { read({folder_.path(set)}); });
  };
  EXPECT_THAT(error("apart"), HasSubstr("a.xml: no file 'a.png' below "));
  EXPECT_THAT(error("apart"), HasSubstr("hint: --image-folder says where pictures are"));
  put("deep/two/pictures/a.png", picture);
  EXPECT_THAT(error("deep"), HasSubstr("have the same name; expected one file"));
  put("empty/a.png", picture);
  EXPECT_THAT(error("empty"), HasSubstr("no file *.xml; expected annotations of Pascal VOC"));
}

TEST_F(LabelledBoxesFile, HasTheSameBoxesInEveryForm) {
  const std::string coco = folder_.file(
      "coco.json",
      "{\n\"images\": [{\"id\": 1, \"file_name\": \"a.png\"}],\n\"categories\": [{\"id\": 1, "
      "\"name\": \"cup\"}],\n\"annotations\": [{\"id\": 1, \"image_id\": 1, \"category_id\": 1, "
      "\"bbox\": [0, 0, 10, 5]}]}\n");
  const std::string list = folder_.file("voc/ImageSets/Main/train.txt", "a  1\n\n");
  for (const std::string& file : {lines(kCup), coco, folder_.path("voc"), list}) {
    SCOPED_TRACE(file);
    const LabelledBoxes found = read({file});
    EXPECT_EQ(found.size(), 1);
    EXPECT_THAT(boxes_of(found), ElementsAre(0.25f, 0.25f, 0.5f, 0.5f));
    EXPECT_EQ(collect_box_labels({file}, {}).names(), std::vector<std::string>{"cup"});
  }
  const LabelledBoxes all = read({lines(kCup), coco, list});
  EXPECT_EQ(all.size(), 3);
  EXPECT_EQ(all.box_count(), 3);
  EXPECT_EQ(all.most_boxes(), 1);
  EXPECT_THAT(all.report(), HasSubstr("train.txt: 3 pictures of 10 x 20, 3 boxes"));
}

TEST_F(LabelledBoxesFile, ResizesPicturesAndKeepsSharesOfThem) {
  const LabelledBoxes found = read({lines(kCup)}, {.shape = {.height = 4, .width = 4}, .patch = 2});
  EXPECT_THAT(boxes_of(found), ElementsAre(0.25f, 0.25f, 0.5f, 0.5f));
  EXPECT_EQ(found.cost(0).rows, 4);
  EXPECT_THAT(found.report(), HasSubstr("1 picture of 4 x 4, 1 box; 1 resized"));
  const auto batch = found.batch(std::vector<int64_t>{0, 0});
  EXPECT_EQ(std::get<Features>(batch.fields[0]).values, std::vector<float>(32, 7));
  EXPECT_THAT(std::get<Labels>(batch.fields[1]).ids, ElementsAre(0, 0));
  EXPECT_THAT(std::get<Features>(batch.fields[2]).segments.offsets, ElementsAre(0, 1, 2));
}

TEST_F(LabelledBoxesFile, ReadsPicturesInAnotherFolder) {
  const std::string path = folder_.file("voc/t.jsonl", test::read_bytes(lines(kCup)));
  EXPECT_THROW(read({path}), FormatError);
  EXPECT_EQ(read({path}, {.image_folder = folder_.folder()}).size(), 1);
}

TEST_F(LabelledBoxesFile, RefusesClipsOrSkipsBadBoxes) {
  const struct {
    const char* box;
    bool is_clipped;  // or else skipped
  } cases[] = {{"[18, 0, 4, 4]", true},        {"[-3, 0, 4, 4]", true},  {"[0, 8, 4, 4]", true},
               {"[3, 3, 0, 4]", false},        {"[3, 3, 4, -1]", false}, {"[30, 0, 4, 4]", false},
               {"[1e300, 0, 1e300, 4]", false}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.box);
    const std::string path =
        lines(std::string(kCup) + R"(, {"label": "spoon", "box": )" + c.box + "}");
    EXPECT_THAT(test::message_of<FormatError>([&] { read({path}); }),
                HasSubstr("t.jsonl:2: box 2: the box ["));
    const LabelledBoxes clipped = read({path}, {.bad_boxes = BadBoxes::kClip});
    const LabelledBoxes skipped = read({path}, {.bad_boxes = BadBoxes::kSkip});
    EXPECT_EQ(clipped.box_count(), c.is_clipped ? 2 : 1);
    EXPECT_EQ(skipped.box_count(), 1);
    EXPECT_THAT(clipped.report(), HasSubstr(c.is_clipped ? "1 boxes clipped" : "1 boxes skipped"));
    EXPECT_THAT(skipped.report(), HasSubstr("1 boxes skipped"));
    for (const float share : boxes_of(clipped)) EXPECT_LE(share, 1);
  }
  // Annotators round to whole pixels.
  EXPECT_THAT(boxes_of(read({lines(R"({"label": "cup", "box": [0, 0, 20.9, 10.5]})")})),
              ElementsAre(0.5f, 0.5f, 1, 1));
}

TEST_F(LabelledBoxesFile, LeavesOutPicturesThatCannotBeRead) {
  folder_.file("bad.png", "RIFF....WEBP");
  const std::string file = folder_.file("t.jsonl", R"({"image": "bad.png", "boxes": []})"
                                                   "\n"
                                                   R"({"image": "a.png", "boxes": []})"
                                                   "\n"
                                                   R"({"image": "gone.png", "boxes": []})");
  const test::CapturedLog log;
  const LabelledBoxes found = read({file}, {.bad_files = BadFiles::kSkip});
  EXPECT_EQ(found.size(), 1);
  EXPECT_THAT(found.report(), HasSubstr("0 boxes; 2 files left out"));
  EXPECT_THAT(log.warnings(), HasSubstr("t.jsonl:1: "));
  EXPECT_THAT(log.warnings(), HasSubstr("gone.png: cannot be opened"));
  EXPECT_THROW(read({file}), FormatError);
}

// One that is cut off, one whose picture does not exist, and a listed name without one.
TEST_F(LabelledBoxesFile, LeavesOutAnnotationsThatCannotBeRead) {
  folder_.file("voc/Annotations/b.xml", "<annotation><filename>a.png</fi");
  folder_.file("voc/Annotations/c.xml", "<annotation><filename>c.png</filename></annotation>");
  folder_.file("voc/Annotations/d.xml", "");
  const std::string list = folder_.file("voc/ImageSets/Main/train.txt", "d\nb\na\ngone\n");
  const LabelledBoxesOptions skip{.bad_files = BadFiles::kSkip};
  for (const std::string& set : {folder_.path("voc"), list}) {
    SCOPED_TRACE(set);
    EXPECT_THROW(read({set}), FormatError);
    EXPECT_THROW(collect_box_labels({set}, {}), FormatError);
    {
      const test::CapturedLog log;
      EXPECT_THAT(collect_box_labels({set}, skip).names(), ElementsAre("cup"));
      EXPECT_EQ(log.warnings(), "");
    }
    const test::CapturedLog log;
    const LabelledBoxes found = read({set}, skip);
    EXPECT_EQ(found.size(), 1);
    EXPECT_THAT(found.report(), HasSubstr("1 picture of 10 x 20, 1 box; 3 files left out"));
    EXPECT_THAT(log.warnings(), HasSubstr("b.xml: is no XML"));
    EXPECT_THAT(log.warnings(), HasSubstr(set == list ? "train.txt:4: no file " : "c.png: "));
  }
  const std::string bad = folder_.path("voc/Annotations/b.xml");
  EXPECT_THAT(test::message_of<FormatError>([&] { collect_box_labels({bad}, skip); }),
              HasSubstr("b.xml: no picture is left; 1 file left out; the first fault: "));
}

TEST_F(LabelledBoxesFile, NamesWhatIsWrong) {
  const auto message = [&](const std::string& file) {
    return test::message_of<FormatError>([&] { read({file}); });
  };
  EXPECT_THAT(message(lines(R"({"label": "fork", "box": [0, 0, 1, 1]})")),
              HasSubstr("t.jsonl:2: box 1: the label 'fork' is unknown"));
  EXPECT_THAT(message(lines(kCup, "none.png")), HasSubstr("t.jsonl:2: "));
  EXPECT_THAT(message(lines(kCup, "none.png")), HasSubstr("none.png: cannot be opened"));
  EXPECT_THAT(message(lines(kCup, "t.jsonl")), HasSubstr("expected a PNG or JPEG file"));
  EXPECT_THAT(message(folder_.file("empty", "\n \n")), HasSubstr("empty: is empty; expected"));
  EXPECT_THAT(message(folder_.file("coco.json", "{\n")), HasSubstr("coco.json: is no JSON"));
  EXPECT_THAT(
      message(folder_.file("coco.json", R"({"images": [], "annotations": [], "categories": []})")),
      HasSubstr("coco.json: no picture"));
  EXPECT_THAT(message(folder_.file("list.txt", "none\n")),
              HasSubstr("; expected an annotation of Pascal VOC for each name of the list"));
  EXPECT_THAT(message(folder_.file("voc/list.txt", "a\nb\n")), HasSubstr("list.txt:2: no file "));
  EXPECT_THROW(read({folder_.path("none")}), FileError);
  EXPECT_THROW(read({folder_.path("voc/ImageSets")}), FormatError);
  EXPECT_THROW(bad_boxes_named("keep"), OptionError);
}

TEST_F(LabelledBoxesFile, HasAFingerprintOfAllThatTrainingReads) {
  const uint64_t one = read({lines(kCup)}).fingerprint();
  EXPECT_EQ(read({lines(kCup)}).fingerprint(), one);
  for (const char* box : {R"({"label": "spoon", "box": [0, 0, 10, 5]})",
                          R"({"label": "cup", "box": [0, 0, 10, 6]})"}) {
    EXPECT_NE(read({lines(box)}).fingerprint(), one);
  }
}

}  // namespace
}  // namespace weft::data
