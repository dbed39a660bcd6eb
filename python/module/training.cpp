#include <attune/comparison.h>
#include <attune/model_formats.h>
#include <attune/training.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "module.h"
#include "settings.h"

namespace attune::python {
namespace {

namespace py = pybind11;

py::dict dict_of(const TrainingProgress& progress) {
  using namespace py::literals;
  return py::dict("updates"_a = progress.updates, "epochs"_a = progress.epochs, "tokens"_a = progress.tokens,
                  "seconds"_a = progress.seconds, "share"_a = progress.share, "loss"_a = progress.loss,
                  "learning_rate"_a = progress.learning_rate);
}

py::dict dict_of(const std::vector<MetricValue>& scores) {
  py::dict values;
  for (const auto& [metric, value] : scores) values[py::str(metric)] = value;
  return values;
}

// What follows a run is called with the GIL, which training itself does without.
TrainingOptions options_of(const std::string& config, bool overwrite, const py::object& on_progress,
                           const py::object& on_validation) {
  TrainingOptions options{.config = config, .overwrite = overwrite};
  if (!on_progress.is_none())
    options.on_progress = [&](const TrainingProgress& progress) {
      const py::gil_scoped_acquire acquired;
      on_progress(dict_of(progress));
    };
  if (!on_validation.is_none())
    options.on_validation = [&](const TrainingProgress& progress, const std::vector<MetricValue>& scores,
                                const std::vector<TrainingSample>& samples) {
      const py::gil_scoped_acquire acquired;
      py::list texts;
      for (const auto& [source, reference, output] : samples) texts.append(py::make_tuple(source, reference, output));
      on_validation(dict_of(progress), dict_of(scores), texts);
    };
  return options;
}

}  // namespace

void add_training(py::module_& module) {
  module.def("train", [](const py::dict& settings, const std::string& config, bool overwrite, const py::object& on_progress,
                         const py::object& on_validation) {
    const Settings wanted = settings_of(settings);
    const TrainingOptions options = options_of(config, overwrite, on_progress, on_validation);
    TrainingResult result;
    {
      const py::gil_scoped_release released;
      result = train(wanted, options);
    }
    if (!result.finished) {  // attune has taken the signal; Python's own handler has not seen it
      PyErr_SetNone(PyExc_KeyboardInterrupt);
      throw py::error_already_set();
    }
    return py::make_tuple(result.model.string(), dict_of(result.progress), dict_of(result.scores));
  });
  module.def("compare", [](const std::string& recipe, bool retrain) {
    const ComparisonReport report = compare_models(recipe, retrain);
    return py::make_tuple(report.folder.string(), report.markdown);
  });
  module.def("quantize", &quantize_model, py::call_guard<py::gil_scoped_release>());
  module.def("convert", [](const std::string& from, const std::string& out, const std::string& to,
                           const std::vector<std::string>& vocabs) {
    const py::gil_scoped_release released;
    std::vector<std::string> folders;
    for (const auto& folder : convert_model(from, out, {.to = to, .vocabs = {vocabs.begin(), vocabs.end()}}))
      folders.push_back(folder.string());
    return folders;
  });
}

}  // namespace attune::python
