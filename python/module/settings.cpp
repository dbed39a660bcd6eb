#include "settings.h"

#include <pybind11/stl.h>

namespace attune::python {

namespace py = pybind11;

namespace {

bool is_number(const py::handle& value) { return py::isinstance<py::int_>(value) || py::isinstance<py::float_>(value); }

std::string text_of(const std::string& key, const py::handle& value) {
  if (py::isinstance<py::str>(value) || is_number(value)) return py::str(value);
  if (py::hasattr(value, "__fspath__")) return py::str(value.attr("__fspath__")());
  throw py::type_error(key + ": this takes texts and numbers, not " + std::string(py::str(value.get_type().attr("__name__"))));
}

Setting setting_of(const std::string& key, const py::handle& value) {
  if (py::isinstance<py::bool_>(value)) return value.cast<bool>();
  if (py::isinstance<py::int_>(value)) return value.cast<int64_t>();
  if (py::isinstance<py::float_>(value)) return value.cast<double>();
  if (py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value)) {
    std::vector<std::string> list;
    for (const py::handle& item : value) list.push_back(text_of(key, item));
    return list;
  }
  return text_of(key, value);
}

}  // namespace

Settings settings_of(const py::dict& values) {
  Settings settings;
  for (const auto& [key, value] : values)
    if (!value.is_none()) settings.insert_or_assign(key.cast<std::string>(), setting_of(key.cast<std::string>(), value));
  return settings;
}

}  // namespace attune::python
