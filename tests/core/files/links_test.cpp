#include "weft/core/files/links.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/core/error.h"

namespace weft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

TEST(Links, AreParsedFromALine) {
  EXPECT_THAT(parse_links(" 0-1  12-3\t4?0 ", "f:1"),
              ElementsAre(Link{0, 1, true}, Link{12, 3, true}, Link{4, 0, false}));
  EXPECT_THAT(parse_links("", "f:1"), IsEmpty());
  EXPECT_THAT(parse_links(" \t", "f:1"), IsEmpty());
}

TEST(Links, ReportInvalidText) {
  for (const char* bad : {"1", "1-", "-1", "1-2-3", "1--2", "-1-2", "a-b", "1:2", "1-2,3-4", "1-2x",
                          "99999999999-1", "1-99999999999"}) {
    EXPECT_THAT([&] { parse_links(std::string("0-0 ") + bad, "f:7"); },
                ThrowsMessage<FormatError>(
                    HasSubstr(std::string("f:7: expected links such as 0-0 1-2, got '") + bad)))
        << bad;
  }
}

}  // namespace
}  // namespace weft
