#include "weft/train/distributed/group.h"

#include "weft/train/distributed/launch.h"

namespace weft::train {

std::unique_ptr<Group> make_lone_group() { return std::make_unique<LoneGroup>(); }

std::unique_ptr<Group> join_group() {
  return launch().ranks > 1 ? make_mpi_group() : make_lone_group();
}

}  // namespace weft::train
