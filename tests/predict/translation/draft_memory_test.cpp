#include "weft/predict/translation/draft_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/decode/small_session.h"
#include "tests/support/errors.h"
#include "weft/core/error.h"

namespace weft::predict {
namespace {

using testing::HasSubstr;

class DraftMemoryTest : public testing::Test {
 protected:
  DraftMemory memory_of(const std::vector<std::string>& paths) const {
    return {paths, session.source(), session.target()};
  }
  std::string found(const DraftMemory& memory, const std::string& text) const {
    return session.target().decode(memory.find(session.source().encode(text)));
  }
  std::string error_of(const std::vector<std::string>& paths) const {
    return test::message_of<Error>([&] { memory_of(paths); });
  }

  test::Scratch scratch;
  model_file::TranslatorSession session = decode::small_session(decode::small_options());
};

TEST_F(DraftMemoryTest, FindsTheTargetOfTheMostSimilarSource) {
  const DraftMemory memory = memory_of({scratch.file(
      "pairs.tsv", "w1 w2 w3 w4\tw11\nw1 w2 w3 w5\tw12\nw5 w6\tw13\nw1 w2 w3 w4\tw14\n")});
  EXPECT_EQ(found(memory, "w1 w2 w3 w4"), "w11");
  EXPECT_EQ(found(memory, "w1 w2 w3 w5"), "w12");
  EXPECT_EQ(found(memory, "w7 w1 w2 w3 w5"), "w12");
  EXPECT_EQ(found(memory, "w6"), "w13");  // one pair of 5 in all twice: 0.4
  EXPECT_EQ(found(memory, "w1 w9 w8 w7 w6"), "");
  EXPECT_EQ(found(memory, "w20 w21"), "");
  EXPECT_EQ(found(memory, ""), "");
}

TEST_F(DraftMemoryTest, ReadsTwoFiles) {
  const DraftMemory memory =
      memory_of({scratch.file("a", "w1 w2\nw3 w4\n"), scratch.file("b", "w5 w6\nw7\n")});
  EXPECT_EQ(found(memory, "w3 w4"), "w7");
}

TEST_F(DraftMemoryTest, NamesWhatIsWrong) {
  EXPECT_THAT(error_of({}), HasSubstr("--draft-memory: 0 files; expected one of sources"));
  EXPECT_THAT(error_of({"a", "b", "c"}), HasSubstr("--draft-memory: 3 files"));
  EXPECT_THAT(error_of({scratch.file("pairs.tsv", "w1\tw2\nw3\n")}),
              HasSubstr("pairs.tsv:2: expected source, tab, target; got no tab"));
  EXPECT_THAT(error_of({scratch.file("a", "w1\nw2\n"), scratch.file("b", "w1\n")}),
              HasSubstr("b: 1 line; expected 2, as"));
}

}  // namespace
}  // namespace weft::predict
