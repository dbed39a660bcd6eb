#include "module.h"

#include <attune/error.h>
#include <attune/threads.h>
#include <attune/version.h>

namespace py = pybind11;

PYBIND11_MODULE(_attune, module) {
  module.doc() = "The compiled part of attune";
  module.attr("version") = attune::version();
  // A UsageError is both an attune.Error and a ValueError. They live as long as the interpreter.
  static PyObject* const error = PyErr_NewExceptionWithDoc("attune.Error", "The work failed", PyExc_RuntimeError, nullptr);
  static PyObject* const usage = PyErr_NewExceptionWithDoc(
      "attune.UsageError", "Wrong use or bad input; the sentence is that of the command line", py::make_tuple(py::handle(error), py::handle(PyExc_ValueError)).ptr(), nullptr);
  module.attr("Error") = py::handle(error);
  module.attr("UsageError") = py::handle(usage);
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const attune::UsageError& wrong) {
      PyErr_SetString(usage, wrong.what());
    } catch (const attune::Error& failed) {
      PyErr_SetString(error, failed.what());
    }
  });
  module.def("threads", &attune::threads);
  module.def("set_threads", &attune::set_threads, py::arg("count"));
  attune::python::add_model(module);
  attune::python::add_training(module);
  attune::python::add_text(module);
  attune::python::add_tensors(module);
}
