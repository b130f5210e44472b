#include "weft/train/distributed/group.h"

#include "weft/train/distributed/launch.h"

namespace weft::train {

std::unique_ptr<Group> single_process() { return std::make_unique<SingleProcess>(); }

std::unique_ptr<Group> join_group() {
  return launch().ranks > 1 ? make_mpi_group() : single_process();
}

}  // namespace weft::train
