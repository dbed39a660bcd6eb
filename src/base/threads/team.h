// Team: threads that do the same work, all of them or none.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace attune {

class Team {
 public:
  // Calls work() in that many threads. `stop` makes all of them return; it is called once, and must also work
  // if not all were started. If the system does not allow that many threads, those that run are stopped and
  // an Error says what they were for.
  Team(size_t threads, const std::string& purpose, const std::function<void()>& work,
       std::function<void()> stop);
  ~Team();  // stops them and waits until they end
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

 private:
  void end();

  std::function<void()> stop_;
  std::vector<std::thread> threads_;
};

}  // namespace attune
