#include "weft/train/distributed/launch.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/environment.h"
#include "weft/core/parallel.h"

namespace weft::train {
namespace {

using test::ScopedEnvironment;

// Clears the other variables, in case mpirun started this test.
class LaunchTest : public testing::Test {
 protected:
  ScopedEnvironment open_mpi_{"OMPI_COMM_WORLD_SIZE", ""};
  ScopedEnvironment open_mpi_local_{"OMPI_COMM_WORLD_LOCAL_SIZE", ""};
  ScopedEnvironment hydra_{"PMI_SIZE", ""};
  ScopedEnvironment hydra_local_{"MPI_LOCALNRANKS", ""};
  ScopedEnvironment slurm_{"SLURM_STEP_NUM_TASKS", ""};
};

TEST_F(LaunchTest, IsASingleProcessWithoutMpirun) {
  EXPECT_EQ(launch().ranks, 1);
  EXPECT_EQ(launch().ranks_on_machine, 1);
}

TEST_F(LaunchTest, ReadsOpenMpisVariables) {
  const ScopedEnvironment all("OMPI_COMM_WORLD_SIZE", "6"), here("OMPI_COMM_WORLD_LOCAL_SIZE", "2");
  EXPECT_EQ(launch().ranks, 6);
  EXPECT_EQ(launch().ranks_on_machine, 2);
}

TEST_F(LaunchTest, ReadsHydrasVariables) {
  const ScopedEnvironment all("PMI_SIZE", "4"), here("MPI_LOCALNRANKS", "4");
  EXPECT_EQ(launch().ranks, 4);
  EXPECT_EQ(launch().ranks_on_machine, 4);
}

TEST_F(LaunchTest, ReadsSlurmsVariables) {
  const ScopedEnvironment rank("PMIX_RANK", "0"), all("SLURM_STEP_NUM_TASKS", "3");
  EXPECT_EQ(launch().ranks, 3);
  EXPECT_EQ(launch().ranks_on_machine, 1);
}

TEST_F(LaunchTest, DividesTheCoresAmongRanks) {
  const int all = cores_for({});
  EXPECT_GE(all, usable_cores());
  EXPECT_EQ(cores_for({.ranks = 2, .ranks_on_machine = 2}), std::max(1, all / 2));
  EXPECT_EQ(cores_for({.ranks = 100000, .ranks_on_machine = 100000}), 1);
}

}  // namespace
}  // namespace weft::train
