#include "weft/core/fields.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace weft {
namespace {

struct Inner {
  int depth = 2;
  template <class V>
  void fields(V& v) {
    group(v, "Inner");
    v("depth", depth, {.help = "layers", .min = 1});
  }
};

struct Outer {
  Inner inner;
  bool flag = false;
  template <class V>
  void fields(V& v) {
    inner.fields(v);
    v("flag", flag, {});
  }
};

struct NameVisitor {
  std::vector<std::string> names;
  template <class T>
  void operator()(std::string_view name, T&, const Meta&) {
    names.emplace_back(name);
  }
};

struct TitleVisitor : NameVisitor {
  void group(std::string_view title) { names.push_back("[" + std::string(title) + "]"); }
};

TEST(Fields, AreVisitedInOrderThroughNestedStructs) {
  Outer outer;
  NameVisitor visitor;
  outer.fields(visitor);
  EXPECT_EQ(visitor.names, (std::vector<std::string>{"depth", "flag"}));
}

TEST(Fields, ShowTheirTitlesToVisitorsThatTakeThem) {
  Outer outer;
  TitleVisitor visitor;
  outer.fields(visitor);
  EXPECT_EQ(visitor.names, (std::vector<std::string>{"[Inner]", "depth", "flag"}));
}

}  // namespace
}  // namespace weft
