// Programs started by mpirun, for tests.
#ifndef WEFT_TESTS_E2E_RANKS_H_
#define WEFT_TESTS_E2E_RANKS_H_

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/e2e/program.h"
#include "weft/train/distributed/group.h"

namespace weft::test {

// argv as `ranks` processes on this machine, be it as small as it may.
inline std::vector<std::string> mpirun_command(int ranks, std::vector<std::string> argv) {
  argv.insert(argv.begin(), {WEFT_MPIRUN, "-np", std::to_string(ranks)});
  return argv;
}

inline ProcessOptions mpirun_options(const std::string& folder) {
  return {
      .environment = {"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
                      "OMPI_MCA_rmaps_base_oversubscribe=1",
                      "OMPI_MCA_hwloc_base_binding_policy=none",
                      // No network, and no permission to read another process' memory.
                      "OMPI_MCA_btl=self,vader", "OMPI_MCA_btl_vader_single_copy_mechanism=none",
                      "OMPI_MCA_plm=isolated", "OMP_NUM_THREADS=1",
                      // MPI itself leaves memory behind.
                      "ASAN_OPTIONS=detect_leaks=0"},
      .folder = folder};
}

// For tests that start many ranks: they are skipped where mpirun is missing.
class WithMpirun : public testing::Test {
 protected:
  void SetUp() override {
    if (!train::mpi_is_available()) GTEST_SKIP() << "built without MPI";
    if (!std::filesystem::exists(WEFT_MPIRUN)) GTEST_SKIP() << "no mpirun at '" WEFT_MPIRUN "'";
  }
};

}  // namespace weft::test

#endif  // WEFT_TESTS_E2E_RANKS_H_
