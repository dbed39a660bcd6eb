// Long work of C++ inside a call from Python: without the GIL, so that other threads run, and ended by Ctrl-C.
#pragma once

#include <attune/patience.h>
#include <attune/threads.h>
#include <pybind11/pybind11.h>

#include <chrono>
#include <future>

namespace attune::python {

namespace py = pybind11;

// For work that takes moments: in this thread. Signals are looked at between the steps of a search.
template <class Work>
auto brief(const Work& work) {
  const py::gil_scoped_release released;
  auto asked = std::chrono::steady_clock::now();
  const Patience patience([&] {
    constexpr auto kBetween = std::chrono::milliseconds(50);
    const auto now = std::chrono::steady_clock::now();
    if (now - asked < kBetween) return false;
    asked = now;
    const py::gil_scoped_acquire acquired;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    return false;
  });
  return work();
}

// For work that may take minutes and has threads of its own: this thread waits for signals.
template <class Work>
auto lengthy(const Work& work) {
  std::stop_source stop;
  const int count = threads();
  std::future<decltype(work())> result = std::async(std::launch::async, [&] {
    const ThreadCount same(count);
    const Patience patience(stop.get_token());
    return work();
  });
  const py::gil_scoped_release released;
  while (result.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
    const py::gil_scoped_acquire acquired;
    if (PyErr_CheckSignals() == 0) continue;
    stop.request_stop();
    const py::gil_scoped_release waiting;
    result.wait();
    const py::gil_scoped_acquire throwing;
    throw py::error_already_set();
  }
  return result.get();
}

}  // namespace attune::python
