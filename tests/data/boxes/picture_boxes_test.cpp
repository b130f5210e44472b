#include "weft/data/boxes/picture_boxes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "weft/core/error.h"

namespace weft::data {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST(PictureBoxes, AreReadFromALineOfJson) {
  const PictureBoxes found = parse_json_line(
      R"({"boxes": [{"box": [1, 2.5, 3, 4e1], "label": "cup", "score": 1}], "image": "a/b.png"})",
      "train.jsonl:7");
  EXPECT_EQ(found.image, "a/b.png");
  ASSERT_THAT(found.boxes, SizeIs(1));
  EXPECT_EQ(found.boxes[0].label, "cup");
  EXPECT_EQ(found.boxes[0].box, (Box{1, 2.5, 3, 40}));
  EXPECT_EQ(found.boxes[0].where, "train.jsonl:7: box 1");
  EXPECT_THAT(parse_json_line(R"({"image": "a", "boxes": []})", "x").boxes, IsEmpty());
}

TEST(PictureBoxes, NameTheFaultOfALineOfJson) {
  const struct {
    const char* line;
    const char* message;
  } cases[] = {
      {"", "t:1: is no JSON: "},
      {"[]", "t:1: expected {\"image\": path"},
      {R"({"boxes": []})", "t:1: expected a text \"image\""},
      {R"({"image": "", "boxes": []})", "t:1: expected a text \"image\""},
      {R"({"image": "a", "boxes": 3})", "t:1: expected a list \"boxes\""},
      {R"({"image": "a", "boxes": [7]})", "t:1: box 1: expected a text \"label\""},
      {R"({"image": "a", "boxes": [{"label": "c", "box": [1, 2, 3, 4]}, {"label": "c"}]})",
       "t:1: box 2: expected \"box\": [x, y, width, height]"},
      {R"({"image": "a", "boxes": [{"label": "c", "box": [1, 2, 3]}]})", "t:1: box 1: expected"},
      {R"({"image": "a", "boxes": [{"label": "c", "box": [1, 2, 3, "4"]}]})",
       "t:1: box 1: expected"},
      {R"({"image": "a", "boxes": [{"label": "c", "box": [1, 2, 3, NaN]}]})", "t:1: is no JSON: "},
      {R"({"image": "a", "boxes": [{"label": "c", "box": [1, 2, 3, 1e999]}]})", "t:1: is no JSON"},
  };
  for (const auto& c : cases) {
    EXPECT_THAT(test::message_of<FormatError>([&] { parse_json_line(c.line, "t:1"); }),
                HasSubstr(c.message))
        << c.line;
  }
}

constexpr const char* kCoco = R"({
  "categories": [{"id": 3, "name": "cup"}, {"id": 1, "name": "spoon"}],
  "images": [{"id": 20, "file_name": "b.jpg", "width": 9}, {"id": 10, "file_name": "a.jpg"}],
  "annotations": [
    {"id": 5, "image_id": 10, "category_id": 3, "bbox": [1, 2, 3, 4], "iscrowd": 0},
    {"id": 6, "image_id": 20, "category_id": 1, "bbox": [0.5, 0, 1, 1]},
    {"id": 7, "image_id": 10, "category_id": 1, "bbox": [0, 0, 9, 9], "iscrowd": 1},
    {"id": 8, "image_id": 10, "category_id": 1, "bbox": [5, 6, 7, 8]}]})";

TEST(PictureBoxes, AreReadFromCoco) {
  const std::vector<PictureBoxes> found = parse_coco(kCoco, "coco.json");
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].image, "b.jpg");
  EXPECT_EQ(found[0].where, "coco.json: image 20");
  ASSERT_THAT(found[0].boxes, SizeIs(1));
  EXPECT_EQ(found[0].boxes[0].label, "spoon");
  ASSERT_THAT(found[1].boxes, SizeIs(2));
  EXPECT_EQ(found[1].boxes[0].box, (Box{1, 2, 3, 4}));
  EXPECT_EQ(found[1].boxes[1].where, "coco.json: annotation 8");
  EXPECT_EQ(found[1].crowds, 1);
}

std::string replaced(std::string text, const std::string& old, const std::string& by) {
  return text.replace(text.find(old), old.size(), by);
}

TEST(PictureBoxes, NameTheFaultOfCoco) {
  const struct {
    const char* old;
    const char* by;
    const char* message;
  } cases[] = {
      {"\"images\"", "\"pictures\"", "c: expected a list \"images\""},
      {"\"image_id\": 20", "\"image_id\": 21", "c: annotation 6: no image has the id 21"},
      {"\"category_id\": 3", "\"category_id\": 2", "c: annotation 5: no category has the id 2"},
      {"\"id\": 20", "\"id\": 10", "c: image 10: stands there twice"},
      {"[5, 6, 7, 8]", "[5, 6, 7]", "c: annotation 8: expected \"bbox\""},
      {"\"id\": 5, ", "", "c: annotation number 1: "},
      {"\"id\": 3,", "", "c: category: expected a whole number \"id\""},
      {"\"name\": \"cup\"", "\"name\": 3", "c: category: expected a text \"name\""},
      {"\"file_name\": \"a.jpg\"", "\"path\": \"a.jpg\"",
       "c: image 10: expected a text \"file_name\""},
  };
  for (const auto& c : cases) {
    std::string text = replaced(kCoco, c.old, c.by);
    if (std::string(c.by).empty()) text = replaced(text, "[1, 2, 3, 4]", "4");
    EXPECT_THAT(test::message_of<FormatError>([&] { parse_coco(text, "c"); }), HasSubstr(c.message))
        << c.by;
  }
}

constexpr const char* kVoc = R"(<annotation><filename>a.jpg</filename><size><width>40</width></size>
  <object><name>cup</name><part><name>handle</name></part>
    <bndbox><xmin>1</xmin><ymin>11</ymin><xmax>10</xmax><ymax>20.0</ymax></bndbox></object>
  <object><name>spoon</name>
    <bndbox><ymin>2</ymin><xmin>2</xmin><xmax>2</xmax><ymax>3</ymax></bndbox></object>
</annotation>)";

TEST(PictureBoxes, AreReadFromVoc) {
  const PictureBoxes found = parse_voc(kVoc, "a.xml");
  EXPECT_EQ(found.image, "a.jpg");
  ASSERT_THAT(found.boxes, SizeIs(2));
  EXPECT_EQ(found.boxes[0].label, "cup");
  EXPECT_EQ(found.boxes[0].box, (Box{0, 10, 10, 10}));
  EXPECT_EQ(found.boxes[1].box, (Box{1, 1, 1, 2}));
  EXPECT_EQ(found.boxes[1].where, "a.xml: object 2");
}

TEST(PictureBoxes, NameTheFaultOfVoc) {
  const struct {
    const char* old;
    const char* by;
    const char* message;
  } cases[] = {
      {"<annotation>", "<annotations>", "v: is no XML: "},
      {"</annotation>", "", "v: is no XML: "},
      {"<filename>a.jpg</filename>", "", "v: expected a <filename>"},
      {"<name>spoon</name>", "", "v: object 2: expected a <name>"},
      {"<xmin>1</xmin>", "", "v: object 1: expected a number in <xmin>, got ''"},
      {"<xmax>2</xmax>", "<xmax>two</xmax>", "v: object 2: expected a number in <xmax>, got 'two'"},
      {"<xmax>2</xmax>", "<xmax>nan</xmax>", "v: object 2: expected a number in <xmax>, got 'nan'"},
  };
  for (const auto& c : cases) {
    EXPECT_THAT(test::message_of<FormatError>([&] { parse_voc(replaced(kVoc, c.old, c.by), "v"); }),
                HasSubstr(c.message))
        << c.by;
  }
  EXPECT_THAT(test::message_of<FormatError>([] { parse_voc("<a/>", "v"); }),
              HasSubstr("v: expected an <annotation>"));
}

}  // namespace
}  // namespace weft::data
