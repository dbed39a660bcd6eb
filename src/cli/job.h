// Work that several processes may do together: `mpirun -n 8 attune ...`.
#pragma once

#include <functional>

#include "ranks/ranks.h"

namespace attune::cli {

// Runs the body as one of the ranks that mpirun or srun started, or alone. An exception in one rank ends all
// of them, with its message and its exit code.
void as_job(const std::function<void(Ranks&)>& body);

bool has_mpi();  // whether this program was built for several ranks

}  // namespace attune::cli
