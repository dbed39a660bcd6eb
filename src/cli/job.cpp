#include "cli/job.h"

#include <cstdlib>
#include <exception>

#include "attune/error.h"
#include "base/stop_signal.h"
#include "cli/failure.h"
#include "cli/verb.h"
#ifdef ATTUNE_MPI
#include "ranks/mpi_ranks.h"
#endif

namespace attune::cli {
namespace {

int number_in(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr ? 0 : std::atoi(text);
}

// Whether mpirun (Open MPI, or others through PMI) or srun started this process as one of several. If not,
// MPI is not started: it takes time and ports.
bool one_of_several() {
  return number_in("OMPI_COMM_WORLD_SIZE") > 1 || number_in("PMI_SIZE") > 1 ||
         (std::getenv("PMIX_RANK") != nullptr && number_in("SLURM_STEP_NUM_TASKS") > 1);
}

}  // namespace

#ifdef ATTUNE_MPI

void as_job(const std::function<void(Ranks&)>& body) {
  if (!one_of_several()) return body(alone());
  const auto job = mpi_job();
  try {
    body(*job);
  } catch (const Interrupted&) {
    throw;  // all ranks are interrupted
  } catch (const std::exception& error) {
    job->abandon(message_of(error), exit_code_of(error));
  }
}

bool has_mpi() { return true; }

#else

void as_job(const std::function<void(Ranks&)>& body) {
  if (one_of_several())
    throw UsageError(
        "this attune was built without MPI (cmake -DATTUNE_MPI=ON): it runs as one process only");
  body(alone());
}

bool has_mpi() { return false; }

#endif

}  // namespace attune::cli
