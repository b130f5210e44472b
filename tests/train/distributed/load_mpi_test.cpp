// The module weft_mpi is not beside this program; tests/e2e/train/ranks_test.cpp loads it.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/environment.h"
#include "tests/support/scratch.h"
#include "weft/core/error.h"
#include "weft/train/distributed/group.h"

namespace weft::train {
namespace {

using test::ScopedEnvironment;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(LoadMpi, IsNotDoneForASingleProcess) {
  const ScopedEnvironment ranks("OMPI_COMM_WORLD_SIZE", "1");
  EXPECT_EQ(join_group()->size(), 1);
  end_all_ranks(1);
}

TEST(LoadMpi, SaysWhereTheModuleWasExpected) {
  const ScopedEnvironment ranks("OMPI_COMM_WORLD_SIZE", "2");
  EXPECT_THAT([] { join_group(); },
              ThrowsMessage<OptionError>(
                  AllOf(HasSubstr("2 processes were started, which takes the module weft_mpi.so"),
                        HasSubstr("beside the program, in ../lib/weft, or as $WEFT_MPI_MODULE"))));
}

TEST(LoadMpi, RefusesAVariableThatNamesNoFile) {
  const ScopedEnvironment ranks("OMPI_COMM_WORLD_SIZE", "2");
  const ScopedEnvironment module("WEFT_MPI_MODULE", "/no/such.so");
  EXPECT_THAT([] { join_group(); },
              ThrowsMessage<OptionError>(HasSubstr("got \"/no/such.so\", which is no file")));
}

TEST(LoadMpi, RefusesAFileThatIsNoModule) {
  const test::Scratch folder;
  const std::string path = folder.path("module.so");
  std::ofstream(path) << "text";
  const ScopedEnvironment ranks("OMPI_COMM_WORLD_SIZE", "2");
  const ScopedEnvironment module("WEFT_MPI_MODULE", path.c_str());
  EXPECT_THAT([] { join_group(); }, ThrowsMessage<OptionError>(HasSubstr("cannot load " + path)));
}

TEST(LoadMpi, RefusesALibraryThatIsAnotherModule) {
  Dl_info library = {};
  ASSERT_NE(dladdr(dlsym(RTLD_DEFAULT, "gnu_get_libc_version"), &library), 0);
  const ScopedEnvironment ranks("OMPI_COMM_WORLD_SIZE", "2");
  const ScopedEnvironment module("WEFT_MPI_MODULE", library.dli_fname);
  EXPECT_THAT([] { join_group(); }, ThrowsMessage<OptionError>(HasSubstr("got version none")));
}

}  // namespace
}  // namespace weft::train
