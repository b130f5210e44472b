#include "weft/core/error.h"
#include "weft/train/distributed/group.h"
#include "weft/train/distributed/launch.h"

namespace weft::train {

bool mpi_is_available() { return false; }

std::unique_ptr<Group> make_mpi_group() {
  fail<OptionError>("mpirun",
                    "{} processes were started, but this program was built without MPI; hint: "
                    "install MPI (libopenmpi-dev) and rebuild with -DWEFT_MPI=ON",
                    launch().ranks);
}

void end_all_ranks(int) {}

}  // namespace weft::train
