// A build without MPI, linked with no_mpi.cpp instead of mpi.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/environment.h"
#include "weft/core/error.h"
#include "weft/train/distributed/group.h"

namespace weft::train {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(NoMpi, RefusesSeveralRanks) {
  const test::ScopedEnvironment all("OMPI_COMM_WORLD_SIZE", "2");
  EXPECT_FALSE(mpi_is_available());
  EXPECT_THAT([] { join_group(); },
              ThrowsMessage<OptionError>(
                  HasSubstr("2 processes were started, but this program was built without MPI")));
}

TEST(NoMpi, SupportsASingleProcess) {
  const test::ScopedEnvironment all("OMPI_COMM_WORLD_SIZE", "1");
  EXPECT_EQ(join_group()->size(), 1);
  end_all_ranks(1);
}

}  // namespace
}  // namespace weft::train
