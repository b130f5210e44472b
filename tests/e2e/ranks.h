// Programs started by mpirun, for tests.
#ifndef WEFT_TESTS_E2E_RANKS_H_
#define WEFT_TESTS_E2E_RANKS_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/e2e/program.h"
#include "tests/e2e/training.h"
#include "tests/support/paths.h"
#include "weft/train/distributed/group.h"

namespace weft::test {

// Runs argv as `ranks` processes on this machine, even with fewer cores.
inline std::vector<std::string> mpirun_command(int ranks, std::vector<std::string> argv) {
  argv.insert(argv.begin(), {mpirun_path(), "-np", std::to_string(ranks)});
  return argv;
}

inline ProcessOptions mpirun_options(const std::string& folder) {
  return {.environment = {"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
                          "OMPI_MCA_rmaps_base_oversubscribe=1",
                          "OMPI_MCA_hwloc_base_binding_policy=none",
                          // No network, and no access to memory of other processes.
                          "OMPI_MCA_btl=self,vader",
                          "OMPI_MCA_btl_vader_single_copy_mechanism=none", "OMPI_MCA_plm=isolated",
                          // An mpirun that ends removes session files that it shares with others.
                          "OMPI_MCA_orte_tmpdir_base=" + folder,
                          // MPI leaks memory.
                          "ASAN_OPTIONS=detect_leaks=0"},
          .folder = folder};
}

inline void expect_success(const ProcessResult& result) {
  EXPECT_EQ(result.status, 0) << result.output << result.errors;
}

// Options with values, which replace those of the toy training.
using Settings = std::vector<std::vector<std::string>>;

// The toy training with one thread.
inline std::vector<std::string> one_rank(int updates, const Settings& settings) {
  std::vector<std::string> args = toy_training(updates);
  const auto set = [&](const std::vector<std::string>& setting) {
    const auto found = std::find(args.begin(), args.end(), setting[0]);
    if (found != args.end()) args.erase(found, found + 2);
    args.insert(args.end(), setting.begin(), setting.end());
  };
  set({"--threads", "1"});
  for (const auto& setting : settings) set(setting);
  return weft_command(args);
}

// The same with several processes.
inline std::vector<std::string> as_ranks(int ranks, int updates, const Settings& settings) {
  const std::vector<std::string> one = one_rank(updates, settings);
  return ranks == 1 ? one : mpirun_command(ranks, one);
}

// For tests with many ranks, which are skipped if mpirun is missing.
class WithMpirun : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(mpirun_path())) {
      GTEST_SKIP() << "no mpirun at '" << mpirun_path() << "'";
    }
  }
};

}  // namespace weft::test

#endif  // WEFT_TESTS_E2E_RANKS_H_
