#include "weft/train/distributed/launch.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>

namespace weft::train {
namespace {

// The first positive number among these environment variables, or 0.
int number_in(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const char* text = std::getenv(name);
    const int number = text != nullptr ? std::atoi(text) : 0;
    if (number > 0) return number;
  }
  return 0;
}

}  // namespace

Launch launch() {
  Launch out;
  out.ranks = std::max(1, number_in({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}));
  // Under srun with PMIx, the number of ranks is only in Slurm's variable.
  if (std::getenv("PMIX_RANK") != nullptr) {
    out.ranks = std::max(out.ranks, number_in({"SLURM_STEP_NUM_TASKS"}));
  }
  out.ranks_on_machine =
      std::clamp(number_in({"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"}), 1, out.ranks);
  return out;
}

int cores_for(const Launch& launch) {
  const auto cores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  return std::max(1, cores / launch.ranks_on_machine);
}

}  // namespace weft::train
