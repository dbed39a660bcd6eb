// Jobs of several processes, started by mpirun or srun. The only place where MPI is used.
#pragma once

#include <memory>

#include "ranks/ranks.h"

namespace attune {

// A job that any rank can end for all.
class Job : public Ranks {
 public:
  // Says why and ends all ranks with that code. Rank 0 speaks first, in case all have the same to say.
  [[noreturn]] virtual void abandon(const std::string& why, int code) = 0;
};

// For a process that was started as one of several.
std::unique_ptr<Job> mpi_job();

}  // namespace attune
