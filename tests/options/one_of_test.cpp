#include "weft/options/one_of.h"

#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "weft/core/error.h"

namespace weft::options {
namespace {

struct Square {
  int side = 2;
};

struct Plain {
  static constexpr std::string_view kName = "plain";
  static constexpr std::string_view kHelp = "nothing to set";
  Square make(int) const { return {1}; }
};
struct Sized {
  static constexpr std::string_view kName = "sized";
  static constexpr std::string_view kFormerName = "big";
  int size = 3;
  Square make(int factor) const { return {size * factor}; }
};
struct Named {
  static constexpr std::string_view kName = "named";
  std::string text = {};
  std::string make(int) const { return text; }
};
using Choice = OneOf<Plain, Sized, Named>;

TEST(OneOf, IsTheFirstKindUntilAnotherIsSelected) {
  Choice choice;
  EXPECT_TRUE(choice.is<Plain>());
  EXPECT_EQ(choice.name(), "plain");
  choice.select("sized");
  EXPECT_TRUE((choice.is<Sized, Named>()));
  EXPECT_FALSE(choice.is<Plain>());
  EXPECT_EQ(choice.get_if<Plain>(), nullptr);
  ASSERT_NE(choice.get_if<Sized>(), nullptr);
  EXPECT_EQ(choice.get_if<Sized>()->size, 3);
}

TEST(OneOf, IsSelectedByAFormerNameToo) {
  Choice choice;
  choice.select("big");
  EXPECT_TRUE(choice.is<Sized>());
  EXPECT_EQ(choice.name(), "sized");
  EXPECT_EQ(Choice::choices(), "plain|sized|named");
}

TEST(OneOf, TakesAKindWithItsOptions) {
  Choice choice = Sized{.size = 5};
  EXPECT_EQ(choice.name(), "sized");
  EXPECT_EQ(choice.get<Sized>().size, 5);
  choice = Named{.text = "x"};
  EXPECT_TRUE(choice.is<Named>());
  EXPECT_EQ(choice.get<Sized>().size, 5);  // kept, although another kind is selected
  const Choice copy = choice;
  EXPECT_EQ(copy.get<Named>().text, "x");
  EXPECT_EQ(copy.name(), "named");
}

TEST(OneOf, VisitsTheKindSelectedOrAll) {
  Choice choice = Sized{};
  const auto name = [](const auto& kind) { return kind.kName; };
  EXPECT_EQ(choice.visit(name), "sized");
  choice.select("named");
  EXPECT_EQ(choice.visit(name), "named");
  std::string all;
  choice.each([&](auto& kind) { all += kind.kName; });
  EXPECT_EQ(all, "plainsizednamed");
}

TEST(OneOf, KnowsItsKindsByName) {
  EXPECT_EQ(Choice::choices(), "plain|sized|named");
  EXPECT_EQ(Choice().selection().kinds()[0].help, "nothing to set");
  EXPECT_EQ(Choice().selection().kinds()[1].help, "");
  Choice choice;
  EXPECT_EQ(test::message_of<OptionError>([&] { choice.select("szied"); }),
            "choice: unknown kind 'szied'; expected one of plain, sized, named; hint: did you mean "
            "sized?");
  EXPECT_TRUE(choice.is<Plain>());
}

TEST(OneOf, HasAVariantOfTheTypesThatKindsMake) {
  using Made = VariantMadeFrom<Choice, int>;
  static_assert(std::is_same_v<Made, std::variant<Square, std::string>>);
  Choice choice = Sized{};
  const Made made = choice.visit([](const auto& kind) -> Made { return kind.make(2); });
  EXPECT_EQ(std::get<Square>(made).side, 6);
}

}  // namespace
}  // namespace weft::options
