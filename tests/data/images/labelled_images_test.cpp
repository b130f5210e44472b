#include "weft/data/images/labelled_images.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/captured_log.h"
#include "tests/support/pictures.h"
#include "tests/support/scratch.h"
#include "weft/core/error.h"
#include "weft/data/images/png.h"

namespace weft::data {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::ThrowsMessage;

const LabelledTextOptions kText{.text_field = 1, .labels = {{.field = 0, .is_of_line = true}}};

Image grey(uint8_t value) { return {2, 2, 1, std::vector<uint8_t>(4, value)}; }

class Images : public testing::Test {
 protected:
  std::string folder(const std::string& name) {
    std::filesystem::create_directories(folder_.path(name));
    return folder_.path(name);
  }
  void picture(const std::string& name, const Image& image) {
    folder_.file(name, encode_png(image));
  }
  LabelledImages read(const std::vector<std::string>& files, ImageShape shape = {}) {
    return {files, {.text = kText, .shape = shape}, collect_image_labels(files, kText)};
  }

  test::Scratch folder_;
};

TEST_F(Images, OfIdxFilesHaveTheirNumbersAsLabels) {
  const std::vector<std::string> files = {
      folder_.file("images", test::idx_of_images({grey(1), grey(2), grey(3)})),
      folder_.file("labels", test::idx_of_labels({7, 0, 7}))};
  EXPECT_THAT(collect_image_labels(files, kText).names(), ElementsAre("7", "0"));
  const LabelledImages found = read(files);
  EXPECT_EQ(found.size(), 3);
  EXPECT_EQ(found.labels(1, 0).front(), 1);
  EXPECT_EQ(found.cost(0).rows, 4);
  const Batch batch = found.batch(std::vector<int64_t>{2, 0});
  EXPECT_THAT(batch.examples, ElementsAre(2, 0));
  EXPECT_THAT(std::get<Features>(batch.fields[0]).values, ElementsAre(3, 3, 3, 3, 1, 1, 1, 1));
  EXPECT_EQ(std::get<Features>(batch.fields[0]).width, 4);
  EXPECT_THAT(std::get<Labels>(batch.fields[1]).ids, ElementsAre(0, 0));
  EXPECT_THAT(found.report(), HasSubstr("3 pictures of 2 x 2"));
}

TEST_F(Images, OfFoldersHaveTheFoldersAsLabels) {
  const std::string all = folder("all");
  folder("all/cat");
  folder("all/a dog");
  picture("all/cat/2.png", grey(9));
  picture("all/cat/1.png", grey(8));
  picture("all/a dog/x.png", {4, 4, 3, std::vector<uint8_t>(48, 5)});
  folder_.file("all/cat/.hidden", "no picture");
  const LabelledImages found = read({all});
  EXPECT_EQ(found.shape().height, 4);  // of the first, in colour
  EXPECT_EQ(found.shape().channels, 3);
  EXPECT_THAT(found.report(), HasSubstr("3 pictures of 4 x 4, in colour; 2 resized"));
  const Batch batch = found.batch(std::vector<int64_t>{0, 1, 2});
  EXPECT_THAT(std::get<Labels>(batch.fields[1]).ids, ElementsAre(1, 0, 0));
  EXPECT_EQ(std::get<Features>(batch.fields[0]).values[48], 8);
}

TEST_F(Images, OfATextArePathsFromItsFolder) {
  folder("set");
  picture("set/x.png", grey(4));
  const std::string list = folder_.file("set/train.tsv", "b\tx.png\na\tx.png\n");
  EXPECT_EQ(read({list}).size(), 2);
  EXPECT_EQ(read({list}, {.height = 1, .width = 3}).shape().width, 3);
}

TEST_F(Images, HaveAFingerprintOfPixelsAndLabels) {
  picture("x.png", grey(4));
  picture("y.png", grey(5));
  const auto fingerprint = [&](const std::string& text) {
    return read({folder_.file("list.tsv", text)}).fingerprint();
  };
  const uint64_t first = fingerprint("a\tx.png\nb\ty.png\n");
  EXPECT_EQ(fingerprint("a\tx.png\nb\ty.png\n"), first);
  EXPECT_NE(fingerprint("a\ty.png\nb\tx.png\n"), first);
  EXPECT_NE(fingerprint("b\tx.png\na\ty.png\n"), first);
}

TEST_F(Images, ThatCannotBeReadAreLeftOutAndNamed) {
  const std::string all = folder("all");
  folder("all/cat"), folder("all/dog");
  picture("all/cat/a.png", grey(1));
  picture("all/dog/b.png", grey(2));
  for (const char* name : {"all/Thumbs.db", "all/cat/Thumbs.db", "all/dog/c.webp"}) {
    folder_.file(name, "RIFF....WEBP");
  }
  const LabelSet labels = collect_image_labels({all}, kText);
  const test::CapturedLog log;
  const LabelledImages found({all}, {.text = kText, .shape = {}, .bad_files = BadFiles::kSkip},
                             labels);
  EXPECT_EQ(found.size(), 2);
  EXPECT_THAT(found.report(), EndsWith("2 pictures of 2 x 2; 3 files left out"));
  for (const char* name :
       {"all/Thumbs.db: expected a folder of pictures for each label: left out",
        "all/cat/Thumbs.db: expected a PNG or JPEG file, got one that begins with",
        "all/dog/c.webp: expected a PNG"}) {
    EXPECT_THAT(log.warnings(), HasSubstr(name));
  }
  EXPECT_THROW(LabelledImages({all}, {.text = kText, .shape = {}}, labels), FormatError);
  const std::string list = folder_.file("list.tsv", "a\tnone.png\n");
  EXPECT_THAT(([&] {
                LabelledImages({list}, {.text = kText, .shape = {}, .bad_files = BadFiles::kSkip},
                               LabelSet({"a"}, "labels"));
              }),
              ThrowsMessage<FormatError>(HasSubstr("list.tsv: no picture; expected at least one")));
}

TEST_F(Images, AreReportedWithTheirPlace) {
  picture("x.png", grey(4));
  folder_.file("text.png", "this is no picture");
  const auto message = [&](const std::vector<std::string>& files, const std::string& expected) {
    EXPECT_THAT([&] { read(files); }, ThrowsMessage<Error>(HasSubstr(expected))) << expected;
  };
  message({folder_.file("missing.tsv", "a\tx.png\nb\tgone.png\n")}, "missing.tsv:2: ");
  message({folder_.file("wrong.tsv", "a\tx.png\nb\ttext.png\n")}, "wrong.tsv:2: ");
  message({folder_.file("swapped.tsv", "x.png\tcat\n")},
          "; hint: path and label are swapped, 'x.png' is a file; --text-field is the field of the "
          "path and --label-field that of the label, numbered from 0: --text-field 0 "
          "--label-field 1");
  message({folder_.file("one.tsv", "x.png\n")}, "one.tsv:1: ");
  message({folder_.file("empty.tsv", "")}, "empty.tsv");
  message({folder("none")}, "no picture");
  folder("loose");
  picture("loose/x.png", grey(1));
  message({folder_.path("loose")}, "x.png: expected a folder of pictures for each label");
  const std::string images = folder_.file("images", test::idx_of_images({grey(1), grey(2)}));
  message({images}, "expected two files");
  message({images, folder_.file("labels", test::idx_of_labels({1}))}, "1 labels; expected 2");
  message({folder_.path("nothing")}, "nothing");
  const LabelSet other({"z"}, "labels");
  EXPECT_THAT(([&] {
                LabelledImages({folder_.file("other.tsv", "a\tx.png\n")},
                               {.text = kText, .shape = {}}, other);
              }),
              ThrowsMessage<FormatError>(HasSubstr("other.tsv:1: ")));
}

}  // namespace
}  // namespace weft::data
