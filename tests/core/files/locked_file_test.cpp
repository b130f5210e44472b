#include "weft/core/files/locked_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <thread>
#include <vector>

#include "tests/support/scratch.h"

namespace weft {
namespace {

using test::Scratch;

TEST(LockedFile, IsHeldByOneAtATime) {
  const Scratch scratch;
  const std::string path = scratch.path("lock");
  const int first = open_locked(path, O_RDWR, 0640);
  ASSERT_GE(first, 0);
  struct stat status;
  ASSERT_EQ(fstat(first, &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u & ~umask(umask(0)));
  errno = 0;
  EXPECT_EQ(open_locked(path, O_RDWR, 0640), -1);
  EXPECT_EQ(errno, EWOULDBLOCK);
  close(first);
  const int second = open_locked(path, O_RDWR, 0640);
  EXPECT_GE(second, 0);
  close(second);
  EXPECT_EQ(open_locked(scratch.path("no/lock"), O_RDWR, 0640), -1);
  EXPECT_EQ(errno, ENOENT);
}

// The holder unlinks the file before it releases the lock. A process that opened it before must not
// lock the unlinked file.
TEST(LockedFile, IsHeldByOneAtATimeEvenIfUnlinked) {
  const Scratch scratch;
  const std::string path = scratch.path("lock");
  std::atomic<int> holders{0}, collisions{0}, held{0};
  const auto hold_often = [&] {
    while (held.load() < 2000) {
      const int file = open_locked(path, O_RDWR, 0640);
      if (file < 0) continue;
      if (holders.fetch_add(1) != 0) ++collisions;
      ++held;
      holders.fetch_sub(1);
      unlink(path.c_str());
      close(file);
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(hold_often);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(collisions.load(), 0);
  EXPECT_THAT(scratch.names(), testing::IsEmpty());
}

}  // namespace
}  // namespace weft
