#include "weft/core/indirect.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "weft/core/indirect-inl.h"

namespace weft {

template class Indirect<std::string>;

namespace {

TEST(Indirect, CopiesTheValue) {
  Indirect<std::string> first(std::string("a"));
  Indirect<std::string> second = first;
  *second += "b";
  EXPECT_EQ(*first, "a");
  EXPECT_EQ(*second, "ab");
  first = second;
  *second += "c";
  EXPECT_EQ(*first, "ab");
}

TEST(Indirect, KeepsTheAddressInAssignments) {
  Indirect<std::string> first;
  EXPECT_EQ(*first, "");
  const std::string* value = &*first;
  first = Indirect<std::string>(std::string("a"));
  EXPECT_EQ(*value, "a");
  const Indirect<std::string> second(std::string("b"));
  first = second;
  EXPECT_EQ(*value, "b");
}

TEST(Indirect, CanBeAssignedToAfterAMove) {
  Indirect<std::string> first(std::string("a"));
  Indirect<std::string> second = std::move(first);
  EXPECT_EQ(*second, "a");
  first = second;
  EXPECT_EQ(*first, "a");
  Indirect<std::string> third = std::move(first);
  first = std::move(third);
  EXPECT_EQ(*first, "a");
}

}  // namespace
}  // namespace weft
