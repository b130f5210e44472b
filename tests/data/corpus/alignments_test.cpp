#include "weft/data/corpus/alignments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/data/sidecar_files.h"
#include "weft/core/error.h"

namespace weft::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

class AlignmentsOfText : public BesideText {
 protected:
  Alignments read(const std::string& text) {
    return Alignments(corpus(), {folder_.file("links", text)});
  }
};

TEST_F(AlignmentsOfText, AreThoseOfTheSentencesOfABatch) {
  const Alignments links = read("0-0 0-1\n7-7\n1-0\n");
  EXPECT_THAT(links.of(corpus().batch(std::vector<int64_t>{1, 0})),
              ElementsAre(ElementsAre(Link{1, 0}), ElementsAre(Link{0, 0}, Link{0, 1})));
  EXPECT_THAT(read("\n\n0-0\n").of(corpus().batch(std::vector<int64_t>{0})),
              ElementsAre(IsEmpty()));
}

TEST_F(AlignmentsOfText, CountALinkThatIsGivenTwiceOnce) {
  EXPECT_EQ(read("0-1 0-0 0-1\n\n\n").fingerprint(), read("0-0 0-1\n\n\n").fingerprint());
}

TEST_F(AlignmentsOfText, DifferInTheirFingerprint) {
  EXPECT_EQ(read("0-0\n\n0-0\n").fingerprint(), read("0-0\n1-1\n0-0\n").fingerprint());
  EXPECT_NE(read("0-0\n\n0-0\n").fingerprint(), read("0-0\n\n1-0\n").fingerprint());
  EXPECT_NE(read("0-0 0-1\n\n\n").fingerprint(), read("0-0\n\n\n").fingerprint());
}

TEST_F(AlignmentsOfText, HaveToFitTheText) {
  const auto expect = [&](const std::string& text, const char* message) {
    EXPECT_THAT([&] { read(text); }, ThrowsMessage<FormatError>(HasSubstr(message)));
  };
  expect("0-0\n\n", "links: 2 lines; the text has 3");
  expect("0-0\n\n\n\n", "links: 4 lines; the text has 3");
  expect("1-0\n\n\n", "links:1: 1-0 is outside of 1 source and 2 target tokens");
  expect("0-2\n\n\n", "links:1: 0-2 is outside of 1 source and 2 target tokens");
  expect("0-0" + std::string(kMaxLineBytes, ' ') + "\n\n\n", "links:1: is over 1048576 bytes");
  expect("0-0\n\n0\n", "links:3: expected links such as 0-0 1-2, got '0'");
  EXPECT_THAT([&] { Alignments(corpus(), {}); },
              ThrowsMessage<OptionError>(HasSubstr(
                  "--guided-alignment: expected a file for each corpus, 1 in all; got 0")));
}

}  // namespace
}  // namespace weft::data
