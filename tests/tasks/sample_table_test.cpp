#include "weft/tasks/sample_table.h"

#include <gtest/gtest.h>

namespace weft::tasks {
namespace {

TEST(SampleTable, HasARowForEachText) {
  EXPECT_EQ(sample_table({{"source", "a|b"}, {"reference", "c\\d"}, {"translation", "e\nf"}}),
            "| | |\n|---|---|\n| source | a\\|b |\n| reference | c\\\\d |\n"
            "| translation | e<br>f |\n");
}

}  // namespace
}  // namespace weft::tasks
