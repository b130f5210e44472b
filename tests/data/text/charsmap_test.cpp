#include "weft/data/text/charsmap.h"

#include <gmock/gmock.h>

#include <cstdint>

#include "tests/data/files.h"
#include "weft/core/error.h"

namespace weft::data {
namespace {

using testing::HasSubstr;

constexpr uint32_t kHasValue = 1u << 8, kValue = 1u << 31;

// A table of 512 units. The root's children stand in the second half, those of 'a' in the first.
class Charsmap : public ::testing::Test {
 protected:
  Charsmap() : units_(512, kValue) {
    set(0, 256, 0);
    set(256 ^ 'a', 128 ^ 256 ^ 'a', kHasValue | 'a');
    units_[128] = kValue | 2;  // the replacement of "a": "bc"
  }
  // The unit at `at` leads to at ^ offset.
  void set(size_t index, uint32_t offset, uint32_t rest) { units_[index] = offset << 10 | rest; }

  std::string table() const {
    std::string out;
    const auto add = [&](uint32_t value) {
      for (int i = 0; i < 4; ++i) out += static_cast<char>(value >> (8 * i));
    };
    add(static_cast<uint32_t>(4 * units_.size()));
    for (const uint32_t unit : units_) add(unit);
    return out + replacements_;
  }
  std::string message() const {
    return message_of<FormatError>([&] { check_charsmap(table(), "m"); });
  }

  std::vector<uint32_t> units_;
  std::string replacements_{"x\0bc\0", 5};
};

TEST_F(Charsmap, IsGoodAsItIs) { EXPECT_NO_THROW(check_charsmap(table(), "m")); }

TEST_F(Charsmap, SizesHaveToFit) {
  const std::string good = table();
  for (const size_t size : {size_t{0}, size_t{3}, size_t{4}, 4 + 4 * units_.size()}) {
    EXPECT_THROW(check_charsmap(good.substr(0, size), "m"), FormatError) << size;
  }
  std::string bad = good;
  bad[0] = 1;
  EXPECT_THAT(message_of<FormatError>([&] { check_charsmap(bad, "m"); }),
              HasSubstr("m: a trie of 2049 bytes; expected a multiple of 4"));
  EXPECT_THROW(check_charsmap(std::string(8, '\0') + "x", "m"), FormatError);
}

TEST_F(Charsmap, AUnitLeadsOut) {
  set(256 ^ 'b', 512, 'b');
  EXPECT_THAT(message(), HasSubstr("unit 354 leads to 1023; expected less than 512"));
}

TEST_F(Charsmap, TheRootIsAValue) {
  units_[0] |= kValue;
  EXPECT_THAT(message(), HasSubstr("no root"));
}

TEST_F(Charsmap, AReplacementLiesOutsideOrIsNotUtf8) {
  const std::string expected = "unit 353 has its replacement at byte";
  for (const uint32_t place : {6u, 1000u, 0x7FFFFFFFu}) {
    units_[128] = kValue | place;
    EXPECT_THAT(message(), HasSubstr(expected)) << place;
  }
  units_[128] = kValue | 2;
  for (const std::string& text : {std::string("x\0bc", 4), std::string("x\0\xE9\0", 4)}) {
    replacements_ = text;
    EXPECT_THAT(message(), HasSubstr(expected));
  }
  replacements_ = std::string("x\0", 2) + std::string(257, 'y') + '\0';
  EXPECT_THAT(message(), HasSubstr("at most 256 bytes"));
}

TEST_F(Charsmap, UnitsLeadRound) {
  set(256 ^ 'a', 256 ^ 256 ^ 'a', kHasValue | 'a');  // to the root's children
  units_[256] = kValue;
  EXPECT_THAT(message(), HasSubstr("lead round in a circle"));
}

// The limit of the library is 32.
TEST_F(Charsmap, TooManyRulesBeginWithEachOther) {
  for (const int matches : {32, 33}) {
    units_.assign(256 * 40, kValue);
    set(0, 256, 0);
    for (uint32_t i = 1; i <= 33; ++i) {
      const uint32_t unit = 256 * i ^ 'a', base = 256 * (i + 1);
      set(unit, unit ^ base, (i <= static_cast<uint32_t>(matches) ? kHasValue : 0) | 'a');
      units_[base] = kValue;
    }
    if (matches == 32) {
      EXPECT_NO_THROW(check_charsmap(table(), "m"));
    } else {
      EXPECT_THAT(message(), HasSubstr("over 32 rules begin with each other"));
    }
  }
}

TEST_F(Charsmap, ARuleIsTooLong) {
  for (const uint32_t bytes : {256u, 257u}) {
    units_.assign(256 * (bytes + 2), kValue);
    set(0, 256, 0);
    for (uint32_t i = 1; i <= bytes; ++i) {
      set(256 * i ^ 'a', (256 * i ^ 'a') ^ 256 * (i + 1), 'a');
    }
    if (bytes == 256) {
      EXPECT_NO_THROW(check_charsmap(table(), "m"));
    } else {
      EXPECT_THAT(message(), HasSubstr("a rule is longer than 256 bytes"));
    }
  }
}

}  // namespace
}  // namespace weft::data
