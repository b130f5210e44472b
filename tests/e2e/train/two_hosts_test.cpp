// Training with ranks on two hosts, simulated by network namespaces of this machine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <charconv>
#include <csignal>

#include "tests/e2e/ranks.h"
#include "tests/support/paths.h"

namespace weft::test {
namespace {

using testing::HasSubstr;

constexpr int kNotAllowed = 77;  // the script is not permitted to create hosts here

class TwoHosts : public WithMpirun {
 protected:
  void SetUp() override {
    WithMpirun::SetUp();
    if (IsSkipped()) return;
    if (run_process(on_two_hosts({"/bin/true"}), options()).status == kNotAllowed) {
      GTEST_SKIP() << "no network namespaces: that takes root and iproute2";
    }
    write_toy_text(folder_);
  }
  static std::vector<std::string> on_two_hosts(std::vector<std::string> argv) {
    argv.insert(argv.begin(), {source_path("tests/programs/two_hosts.sh"), mpirun_path()});
    return argv;
  }
  ProcessOptions options() const {
    ProcessOptions out = mpirun_options(folder_.folder());
    std::erase_if(
        out.environment, [](const std::string& setting) {  // settings that restrict MPI to one host
          return setting.starts_with("OMPI_MCA_btl") || setting.starts_with("OMPI_MCA_plm");
        });
    return out;
  }
  // The process of this rank in the test's folder; 0 if there is none.
  pid_t process_of(int rank) const {
    const std::string mark = "OMPI_COMM_WORLD_RANK=" + std::to_string(rank);
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const std::string name = entry.path().filename();
      pid_t id = 0;
      std::error_code gone;
      if (std::from_chars(name.data(), name.data() + name.size(), id).ec != std::errc()) continue;
      if (std::filesystem::read_symlink(entry.path() / "cwd", gone) != folder_.folder()) continue;
      std::ifstream environment(entry.path() / "environ");
      for (std::string line; std::getline(environment, line, '\0');) {
        if (line == mark) return id;
      }
    }
    return 0;
  }

  Scratch folder_;
};

TEST_F(TwoHosts, TrainToTheSameBytesAsOnOneHost) {
  const ProcessResult far = run_process(on_two_hosts(one_rank(15, {})), options());
  ASSERT_EQ(far.status, 0) << far.errors;
  const Scratch near;
  write_toy_text(near);
  ASSERT_EQ(run_process(as_ranks(2, 15, {}), mpirun_options(near.folder())).status, 0);
  expect_same_files(folder_, near);
}

TEST_F(TwoHosts, ADeadRankOnTheOtherEndsTraining) {
  Process training(on_two_hosts(one_rank(kEndless, {{"--save-freq", "5u"}})), options());
  ASSERT_TRUE(training.wait_for_error_text("0 loss"));
  const pid_t victim = process_of(1);
  ASSERT_NE(victim, 0);
  kill(victim, SIGKILL);
  const ProcessResult ended = training.wait();
  EXPECT_FALSE(ended.timed_out);
  EXPECT_NE(ended.status, 0);
  EXPECT_THAT(ended.errors, HasSubstr("signal 9"));
  EXPECT_GE(updates_done(folder_), 5);
}

}  // namespace
}  // namespace weft::test
