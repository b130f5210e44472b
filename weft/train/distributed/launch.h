// How this process was started: alone, or by mpirun as one of many. Read from the environment, so
// that a process that was started alone never pays for MPI.
#ifndef WEFT_TRAIN_DISTRIBUTED_LAUNCH_H_
#define WEFT_TRAIN_DISTRIBUTED_LAUNCH_H_

namespace weft::train {

struct Launch {
  int ranks = 1;
  int ranks_on_machine = 1;
};

// What Open MPI, MPICH and their kin, or Slurm say.
Launch launch();

// The machine's cores shared among its ranks, at least one each.
int cores_for(const Launch& launch);

}  // namespace weft::train

#endif  // WEFT_TRAIN_DISTRIBUTED_LAUNCH_H_
