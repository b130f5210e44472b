#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "weft/options/field_visitor.h"

namespace weft::options {
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

struct Red {
  static constexpr std::string_view kName = "red";
};
struct Blue {
  static constexpr std::string_view kName = "blue";
  int depth = 1;
  template <class V>
  void fields(V& v) {
    v("blue-depth", depth, {});
  }
};

struct Deep {
  static constexpr std::string_view kName = "deep";
  int64_t depth = 1;
  template <class V>
  void fields(V& v) {
    v("depth", depth, {});
  }
};

struct Painted {
  OneOf<Red, Blue> color;
  int coats = 1;
  template <class V>
  void fields(V& v) {
    choice(v, "color", color, {.help = "which"});
    belongs_to<Red, Blue>(v, "color", &color.selection(), [&] { v("coats", coats, {}); });
  }
};

struct ScopeVisitor : NameVisitor {
  void enter(const Scope& scope) {
    std::string kinds;
    for (const std::string_view kind : scope.kinds) kinds += " " + std::string(kind);
    names.push_back(std::string(scope.option) + kinds + " {");
  }
  void leave() { names.emplace_back("}"); }
};

TEST(Fields, ShowChoicesWithTheOptionsOfEachKind) {
  Painted painted;
  NameVisitor plain;
  painted.fields(plain);
  EXPECT_EQ(plain.names, (std::vector<std::string>{"color", "blue-depth", "coats"}));
  ScopeVisitor scoped;
  painted.fields(scoped);
  EXPECT_EQ(scoped.names, (std::vector<std::string>{"color", "color blue {", "blue-depth", "}",
                                                    "color red blue {", "coats", "}"}));
}

struct Settings {
  OneOf<Red, Deep> kind;
  std::vector<std::string> files;
  template <class V>
  void fields(V& v) {
    choice(v, "kind", kind, {.help = "which"});
    v("files", files, {});
  }
};

TEST(FieldVisitor, PassesOnOptionsAndTheScopesOfVisitorsThatTakeThem) {
  Settings settings;
  NameVisitor plain;
  FieldVisitorOf plain_behind(plain);
  settings.fields(static_cast<FieldVisitor&>(plain_behind));
  EXPECT_EQ(plain.names, (std::vector<std::string>{"kind", "depth", "files"}));
  ScopeVisitor scoped;
  FieldVisitorOf scoped_behind(scoped);
  settings.fields(static_cast<FieldVisitor&>(scoped_behind));
  EXPECT_EQ(scoped.names, (std::vector<std::string>{"kind", "kind deep {", "depth", "}", "files"}));
}

}  // namespace
}  // namespace weft::options
