// How this process was started: alone or by mpirun. Read from the environment, so that a single
// process never initialises MPI.
#ifndef WEFT_TRAIN_DISTRIBUTED_LAUNCH_H_
#define WEFT_TRAIN_DISTRIBUTED_LAUNCH_H_

namespace weft::train {

struct Launch {
  int ranks = 1;
  int ranks_on_machine = 1;
};

// Reads the environment variables of Open MPI, MPICH and its derivatives, and Slurm.
Launch launch();

// The number of cores per rank on this machine, at least one.
int cores_for(const Launch& launch);

}  // namespace weft::train

#endif  // WEFT_TRAIN_DISTRIBUTED_LAUNCH_H_
