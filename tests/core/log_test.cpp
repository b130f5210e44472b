#include "weft/core/log.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace weft {
namespace {

TEST(Log, HandsMessagesToTheSinkWithTheirLevel) {
  std::vector<std::string> seen;
  log::set_sink([&](log::Level level, std::string_view message) {
    seen.push_back((level == log::Level::kWarning ? "warning " : "info ") + std::string(message));
  });
  log::info("{} updates", 5);
  log::warn("skipped {}", "a line");
  log::set_sink({});
  EXPECT_EQ(seen, (std::vector<std::string>{"info 5 updates", "warning skipped a line"}));
}

TEST(Log, DropsMessagesWithoutASink) {
  log::set_sink({});
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  log::warn("nobody hears this");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace weft
