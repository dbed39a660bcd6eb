// Emscripten declares these and has none of them: a page does not see the machine's processors.
#include <sched.h>

extern "C" int sched_getaffinity(pid_t, size_t, cpu_set_t*) { return -1; }
extern "C" int __sched_cpucount(size_t, const cpu_set_t*) { return 0; }
