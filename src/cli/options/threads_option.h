// --cpu-threads, the same for every verb.
#pragma once

namespace CLI {
class App;
}

namespace attune::cli {

void add_threads_option(CLI::App& app, int& threads);

}  // namespace attune::cli
