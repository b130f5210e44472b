// What the module weft_mpi (mpi.cpp) gives to the program, which loads it when mpirun started it.
// Both are built together: there is no compatibility between versions.
#ifndef WEFT_TRAIN_DISTRIBUTED_MPI_MODULE_H_
#define WEFT_TRAIN_DISTRIBUTED_MPI_MODULE_H_

#include "weft/train/distributed/group.h"

namespace weft::train {

struct MpiModule {
  const char* version;  // of Weft
  // The group of all processes. Initialises MPI; to be deleted, which finalises it.
  Group* (*make_group)();
  // Aborts all ranks if MPI is initialised.
  void (*end_all_ranks)(int status);
};

// The function of the module that returns its MpiModule.
inline constexpr const char* kMpiModuleEntry = "weft_mpi_module";
using MpiModuleEntry = const MpiModule* (*)();

}  // namespace weft::train

#endif  // WEFT_TRAIN_DISTRIBUTED_MPI_MODULE_H_
