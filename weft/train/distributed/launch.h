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

// Threads of compute for each rank where nothing else is said: the machine's cores shared among
// its ranks, and no more than this process is bound to.
int threads_for(const Launch& launch);

}  // namespace weft::train

#endif  // WEFT_TRAIN_DISTRIBUTED_LAUNCH_H_
