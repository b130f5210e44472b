#include "weft/data/views/view_pairs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/captured_log.h"
#include "tests/support/errors.h"
#include "tests/support/pictures.h"
#include "tests/support/scratch.h"
#include "weft/core/error.h"
#include "weft/data/images/png.h"

namespace weft::data {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

Image plain(int64_t height, int64_t width, uint8_t level) {
  Image out{.height = height, .width = width, .channels = 1, .pixels = {}};
  out.pixels.assign(static_cast<size_t>(height * width), level);
  return out;
}

class ViewPairsTest : public testing::Test {
 protected:
  ViewPairsTest() {
    for (const int level : {0, 100, 200}) {
      folder_.file(std::to_string(level) + ".png",
                   encode_png(plain(4, 6, static_cast<uint8_t>(level))));
    }
  }
  ViewPair pair(const ViewPairs& pairs, int64_t example) const {
    RandomStream random(1, 1);
    return pairs.pair(example, random);
  }
  std::string error(const std::string& file, const ViewPairsOptions& options = {}) const {
    return test::message_of<FormatError>([&] { read_view_pairs({folder_.path(file)}, options); });
  }

  test::Scratch folder_;
  ViewPairsOptions crops_{.source = CroppedPairs{}, .shape = {.height = 2, .width = 3}};
};

TEST_F(ViewPairsTest, AreTheListedPicturesWithTheirNumbers) {
  const auto pairs =
      read_view_pairs({folder_.file("pairs.tsv", "0.png\t100.png\t1\t-2\n200.png\t0.png\t3\t2\n")},
                      {.source = {}, .shape = {}, .patch = 2});
  EXPECT_EQ(pairs->size(), 2);
  EXPECT_EQ(pairs->shape().height, 4);
  EXPECT_EQ(pairs->cost(0).rows, 6);
  EXPECT_EQ(pairs->numbers(), 2);
  const ViewPair last = pair(*pairs, 1);
  EXPECT_THAT(last.first, Each(200.0f));
  EXPECT_THAT(last.second, Each(0.0f));
  EXPECT_THAT(last.numbers, ElementsAre(3, 2));
  EXPECT_THAT(pairs->number_statistics().mean, ElementsAre(2, 0));
  EXPECT_THAT(pairs->number_statistics().deviation, ElementsAre(1, 2));
  EXPECT_DOUBLE_EQ(pairs->statistics().mean[0], 75.0 / 255);
  EXPECT_THAT(pairs->report(), HasSubstr("pairs.tsv: 2 pairs of 4 x 6, 2 numbers each"));
  const std::vector<int64_t> examples{1, 0};
  const Batch batch = pairs->batch(examples);
  EXPECT_THAT(std::get<Labels>(batch.fields[0]).ids, ElementsAre(1, 0));
}

TEST_F(ViewPairsTest, WithAFileThatCannotBeReadAreLeftOut) {
  std::filesystem::create_directory(folder_.path("photos"));
  folder_.file("photos/a.png", encode_png(plain(4, 6, 7)));
  folder_.file("photos/Thumbs.db", "no picture");
  folder_.file("pairs.tsv", "0.png\tgone.png\n0.png\t100.png\n");
  const test::CapturedLog log;
  const auto listed = read_view_pairs({folder_.path("pairs.tsv")},
                                      {.source = {}, .shape = {}, .bad_files = BadFiles::kSkip});
  EXPECT_EQ(listed->size(), 1);
  EXPECT_THAT(pair(*listed, 0).second, Each(100.0f));
  EXPECT_THAT(listed->report(), HasSubstr("1 pair of 4 x 6; 1 file left out"));
  ViewPairsOptions crops = crops_;
  crops.bad_files = BadFiles::kSkip;
  const auto cut = read_view_pairs({folder_.path("photos")}, crops);
  EXPECT_EQ(cut->size(), 1);
  EXPECT_THAT(cut->report(), HasSubstr("; 1 file left out"));
  EXPECT_THAT(log.warnings(), HasSubstr("pairs.tsv:1: "));
  EXPECT_THAT(log.warnings(), HasSubstr("photos/Thumbs.db: "));
  folder_.file("none.tsv", "gone.png\tgone.png\n");
  EXPECT_THAT(error("none.tsv", {.source = {}, .shape = {}, .bad_files = BadFiles::kSkip}),
              HasSubstr("none.tsv: no pair is left; 1 file left out"));
}

TEST_F(ViewPairsTest, HaveAnotherFingerprintWithAnotherPictureOrNumber) {
  const auto fingerprint = [&](const std::string& text) {
    return read_view_pairs({folder_.file("pairs.tsv", text)}, {})->fingerprint();
  };
  const uint64_t first = fingerprint("0.png\t100.png\t1\n");
  EXPECT_EQ(fingerprint("0.png\t100.png\t1\n"), first);
  EXPECT_NE(fingerprint("0.png\t200.png\t1\n"), first);
  EXPECT_NE(fingerprint("0.png\t100.png\t2\n"), first);
}

TEST_F(ViewPairsTest, OfFilesNameTheLineOfAPictureThatCannotBeRead) {
  folder_.file("bad.tsv", "0.png\t100.png\n0.png\tnone.png\n");
  EXPECT_THAT(error("bad.tsv"), HasSubstr("bad.tsv:2: "));
  EXPECT_THAT(error("bad.tsv"), HasSubstr("none.png"));
  folder_.file("text.tsv", "0.png\ttext.tsv\n");
  EXPECT_THAT(error("text.tsv"), HasSubstr("text.tsv:1: "));
}

TEST_F(ViewPairsTest, AreCutFromAFolderAListAndAFileOfTheMnistForm) {
  std::filesystem::create_directories(folder_.path("pictures/inner"));
  folder_.file("pictures/b.png", encode_png(plain(8, 8, 100)));
  folder_.file("pictures/inner/a.png", encode_png(plain(8, 8, 200)));
  folder_.file("pictures/.hidden", "no picture");
  folder_.file("list.txt", "pictures/b.png\npictures/inner/a.png\n");
  folder_.file("pictures.idx", test::idx_of_images({plain(8, 8, 100), plain(8, 8, 200)}));
  for (const char* name : {"pictures", "list.txt", "pictures.idx"}) {
    SCOPED_TRACE(name);
    const auto pairs = read_view_pairs({folder_.path(name)}, crops_);
    ASSERT_EQ(pairs->size(), 2);
    EXPECT_EQ(pairs->numbers(), 4);
    EXPECT_THAT(pair(*pairs, 0).first, Each(100.0f));
    EXPECT_THAT(pair(*pairs, 1).second, Each(200.0f));
    EXPECT_EQ(pair(*pairs, 1).numbers.size(), 4u);
  }
  crops_.source.get<CroppedPairs>().crop.per_picture = 3;
  const auto pairs = read_view_pairs({folder_.path("list.txt")}, crops_);
  EXPECT_EQ(pairs->size(), 6);
  EXPECT_THAT(pair(*pairs, 3).first, Each(200.0f));
}

TEST_F(ViewPairsTest, OfCropsSayWhatCannotBeRead) {
  folder_.file("list.txt", "0.png\nnone.png\n");
  EXPECT_THAT(error("list.txt", crops_), HasSubstr("list.txt:2: "));
  folder_.file("list.txt", "0.png\n\n");
  EXPECT_THAT(error("list.txt", crops_), HasSubstr("list.txt:2: is empty"));
  folder_.file("list.txt", "");
  EXPECT_THAT(error("list.txt", crops_), HasSubstr("list.txt: is empty"));
  std::filesystem::create_directory(folder_.path("empty"));
  EXPECT_THAT(error("empty", crops_), HasSubstr("has no picture"));
}

// The deviation of numbers that are drawn evenly.
TEST_F(ViewPairsTest, OfCropsHaveTheStatisticsOfWhatIsDrawn) {
  folder_.file("list.txt", "100.png\n");
  CropOptions& crop = crops_.source.get<CroppedPairs>().crop;
  crop.per_picture = 4000;
  crop.rotation = 0;
  const auto pairs = read_view_pairs({folder_.path("list.txt")}, crops_);
  const ChannelStatistics found = pairs->number_statistics();
  EXPECT_EQ(found.deviation[3], 1);
  std::vector<double> squares(4);
  for (int64_t i = 0; i < pairs->size(); ++i) {
    RandomStream random(1, static_cast<uint64_t>(i));
    const ViewPair drawn = pairs->pair(i, random);
    for (size_t k = 0; k < 4; ++k) squares[k] += drawn.numbers[k] * drawn.numbers[k] / 4000;
  }
  for (size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(std::sqrt(squares[k]) / found.deviation[k], 1, 0.05) << k;
  }
  EXPECT_EQ(squares[3], 0);
}

}  // namespace
}  // namespace weft::data
