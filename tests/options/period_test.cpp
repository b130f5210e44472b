#include "weft/options/period.h"

#include <gtest/gtest.h>

#include "weft/core/error.h"

namespace weft::options {
namespace {

TEST(Period, IsParsedInEveryUnitAndScale) {
  struct Case {
    const char* text;
    Period period;
  };
  const Case cases[] = {
      {"500", Period::updates(500)},
      {"500u", Period::updates(500)},
      {"100Ku", Period::updates(100000)},
      {"100k", Period::updates(100000)},
      {"1Gt", Period::targets(1000000000)},
      {"1.5Gt", Period::targets(1500000000)},
      {"4.35kt", Period::targets(4350)},
      {"10e", Period::epochs(10)},
      {"0", Period::updates(0)},
      {"0e", Period::epochs(0)},
      {"2Mu", Period::updates(2000000)},
      {"1Tt", Period::targets(1000000000000)},
      {"3T", Period::updates(3000000000000)},
  };
  for (const Case& c : cases) EXPECT_EQ(parse_period(c.text, "--after"), c.period) << c.text;
}

TEST(Period, RefusesInvalidText) {
  for (const char* text : {"", "u", "e", "K", "-5", "1.5u", "1.5", "10x", "10ue", "10 e", " 10e",
                           "1e3", "nan", "inf", "0x10", "1KMu", "99999999999Tt", "1..5Gt"}) {
    try {
      parse_period(text, "--after");
      ADD_FAILURE() << "accepted '" << text << "'";
    } catch (const OptionError& error) {
      EXPECT_NE(std::string(error.what()).find("--after: not a period"), std::string::npos);
    }
  }
}

TEST(Period, RoundTripsAsText) {
  for (const Period period : {Period::updates(500), Period::targets(1500000000), Period::epochs(0)})
    EXPECT_EQ(parse_period(period.text(), ""), period);
  EXPECT_EQ(Period::epochs(10).text(), "10e");
}

TEST(Period, OfZeroIsNever) { EXPECT_TRUE(Period().never()); }

}  // namespace
}  // namespace weft::options
