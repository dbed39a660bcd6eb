#include <attune/autograd.h>
#include <attune/ops.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include "module.h"

namespace attune::python {
namespace {

namespace py = pybind11;

Shape shape_of(const py::array& array) {
  std::vector<int64_t> sizes(array.shape(), array.shape() + array.ndim());
  return Shape(sizes);
}

template <class T>
Tensor borrowed(const py::array& array) {
  // The array lives as long as the tensor; the last tensor may go in any thread.
  const std::shared_ptr<const void> keeper(new py::array(array), [](const void* kept) {
    const py::gil_scoped_acquire acquired;
    delete static_cast<const py::array*>(kept);
  });
  return Tensor::borrow(shape_of(array), dtype_of<T>(), static_cast<std::byte*>(const_cast<void*>(array.data())), keeper);
}

// Shares the memory of an array of f32, f64 or i32 in C order; others are copied: whole numbers to i32, the rest to f32.
Tensor tensor_of(const py::object& values) {
  py::array array = py::array::ensure(values);
  if (!array) throw py::error_already_set();
  if (array.ndim() > Shape::kMaxRank) throw py::value_error("a tensor has at most four dimensions");
  constexpr int kContiguous = py::array::c_style;
  const char kind = array.dtype().kind();
  if (kind == 'f' && array.itemsize() == sizeof(double)) return borrowed<double>(py::array_t<double, kContiguous>::ensure(array));
  if (kind == 'i' || kind == 'u' || kind == 'b')
    return borrowed<int32_t>(py::array_t<int32_t, kContiguous | py::array::forcecast>::ensure(array));
  return borrowed<float>(py::array_t<float, kContiguous | py::array::forcecast>::ensure(array));
}

py::array array_of(const Tensor& tensor) {
  if (!tensor.defined()) throw py::value_error("this tensor has no numbers");
  const py::capsule keeper(new Tensor(tensor), [](void* kept) { delete static_cast<Tensor*>(kept); });
  std::vector<py::ssize_t> sizes, strides;
  const auto item = static_cast<py::ssize_t>(bytes_of(tensor.dtype()));
  py::ssize_t stride = item;
  for (int i = tensor.shape().rank() - 1; i >= 0; --i) {
    sizes.insert(sizes.begin(), tensor.shape()[i]);
    strides.insert(strides.begin(), stride);
    stride = i == tensor.shape().rank() - 1 && sizes.size() == 1 ? item * tensor.row_stride() : stride * tensor.shape()[i];
  }
  switch (tensor.dtype()) {
    case DType::f32: return py::array_t<float>(sizes, strides, tensor.data<float>(), keeper);
    case DType::f64: return py::array_t<double>(sizes, strides, tensor.data<double>(), keeper);
    case DType::i32: return py::array_t<int32_t>(sizes, strides, tensor.data<int32_t>(), keeper);
    default: break;
  }
  throw py::value_error("this tensor has no numbers that NumPy knows");
}

Activation activation_of(const std::string& name) {
  for (const Activation each : {Activation::none, Activation::relu, Activation::gelu, Activation::gelu_tanh, Activation::silu,
                                Activation::tanh, Activation::sigmoid})
    if (attune::name(each) == name) return each;
  throw py::value_error("activation: '" + name + "' is not one of none, relu, gelu, gelu_tanh, silu, tanh, sigmoid");
}

Cell cell_of(const std::string& name) {
  for (const Cell each : {Cell::rnn, Cell::gru, Cell::lstm})
    if (attune::name(each) == name) return each;
  throw py::value_error("cell: '" + name + "' is not one of rnn, gru, lstm");
}

// One sentence, unless lengths say otherwise.
Rows rows_of(const std::optional<std::vector<int64_t>>& lengths, const Tensor& tokens) {
  return lengths ? Rows(*lengths) : Rows{tokens.shape()[0]};
}

// Adam with its state, over tensors made by leaf().
class Optimiser {
 public:
  Optimiser(std::vector<Tensor> leaves, double rate, double beta1, double beta2, double epsilon)
      : leaves_(std::move(leaves)), step_{.learning_rate = rate, .beta1 = beta1, .beta2 = beta2, .eps = epsilon, .step = 0} {
    for (const Tensor& leaf : leaves_) {
      if (!leaf_gradient(leaf)) throw py::value_error("Adam takes leaves: tensors made by attune.leaf()");
      first_.push_back(Tensor::zeros(leaf.shape(), leaf.dtype()));
      second_.push_back(Tensor::zeros(leaf.shape(), leaf.dtype()));
    }
  }
  void step() {
    ++step_.step;
    for (size_t i = 0; i < leaves_.size(); ++i) {
      const Tensor gradient = leaf_gradient(leaves_[i]), flat = leaves_[i].detach();
      adam(flat.view({flat.size()}), gradient.view({flat.size()}), first_[i].view({flat.size()}), second_[i].view({flat.size()}),
           step_);
      gradient.fill(0);
    }
  }

 private:
  std::vector<Tensor> leaves_, first_, second_;
  AdamStep step_;
};

void add_operations(py::module_& ops) {
  using py::arg;
  const auto free = py::call_guard<py::gil_scoped_release>();
  ops.def("add", &add, arg("a"), arg("b"), free);
  ops.def("mul", &mul, arg("a"), arg("b"), free);
  ops.def("scale", &scale, arg("x"), arg("factor"), free);
  ops.def("activate", [](const Tensor& x, const std::string& name) { return activate(x, activation_of(name)); }, arg("x"),
          arg("activation"));
  ops.def("sum", &sum, arg("x"), free);
  ops.def("softmax", &softmax, arg("x"), free);
  ops.def("log_softmax", &log_softmax, arg("x"), free);
  ops.def("layer_norm", &layer_norm, arg("x"), arg("gamma"), arg("beta"), arg("eps") = 1e-5, free);
  ops.def("rms_norm", &rms_norm, arg("x"), arg("gamma"), arg("eps") = 1e-5, free);
  ops.def("matmul", &matmul, arg("a"), arg("b"), arg("transpose_a") = false, arg("transpose_b") = false, free);
  ops.def(
      "linear",
      [](const Tensor& x, const Tensor& weight, const std::optional<Tensor>& bias, const std::string& activation) {
        return linear(x, weight, bias.value_or(Tensor()), activation_of(activation));
      },
      arg("x"), arg("weight"), arg("bias") = py::none(), arg("activation") = "none");
  ops.def("embedding", &embedding, arg("table"), arg("ids"), arg("scale") = 1.0, free);
  ops.def("reshape", [](const Tensor& x, const std::vector<int64_t>& shape) { return reshape(x, Shape(shape)); }, arg("x"),
          arg("shape"));
  ops.def("slice_rows", &slice_rows, arg("x"), arg("begin"), arg("end"), free);
  ops.def("concat_rows", [](const std::vector<Tensor>& parts) { return concat_rows(parts); }, arg("parts"));
  ops.def("concat_columns", [](const std::vector<Tensor>& parts) { return concat_columns(std::span<const Tensor>(parts)); },
          arg("parts"));
  ops.def(
      "attention",
      [](const Tensor& q, const Tensor& k, const Tensor& v, int heads, bool causal, double scale,
         const std::optional<std::vector<int64_t>>& queries, const std::optional<std::vector<int64_t>>& keys) {
        return attention(q, k, v, rows_of(queries, q), rows_of(keys, k),
                         {.heads = heads, .sees = causal ? kCausal : Band{}, .scale = scale});
      },
      arg("q"), arg("k"), arg("v"), arg("heads") = 1, arg("causal") = false, arg("scale") = 0.0, arg("queries") = py::none(),
      arg("keys") = py::none());
  ops.def(
      "additive_attention",
      [](const Tensor& query, const Tensor& key, const Tensor& v, const Tensor& value,
         const std::optional<std::vector<int64_t>>& queries, const std::optional<std::vector<int64_t>>& keys) {
        return additive_attention(query, key, v, value, rows_of(queries, query), rows_of(keys, key));
      },
      arg("query"), arg("key"), arg("v"), arg("value"), arg("queries") = py::none(), arg("keys") = py::none());
  ops.def(
      "recurrence",
      [](const std::string& cell, const Tensor& x, const Tensor& input, const Tensor& recurrent, const Tensor& input_bias,
         const Tensor& recurrent_bias, const std::optional<std::vector<int64_t>>& lengths, bool reverse) {
        return recurrence(cell_of(cell), x, rows_of(lengths, x), {input, recurrent, input_bias, recurrent_bias}, {}, reverse).h;
      },
      arg("cell"), arg("x"), arg("input"), arg("recurrent"), arg("input_bias"), arg("recurrent_bias"),
      arg("lengths") = py::none(), arg("reverse") = false);
  ops.def(
      "linear_cross_entropy",
      [](const Tensor& x, const Tensor& weight, const std::optional<Tensor>& bias, const Tensor& targets, double smoothing) {
        const CrossEntropy found = linear_cross_entropy(x, weight, bias.value_or(Tensor()), targets, smoothing);
        return py::make_tuple(found.loss, found.nll, found.counted, found.correct);
      },
      arg("x"), arg("weight"), arg("bias"), arg("targets"), arg("label_smoothing") = 0.0);
}

}  // namespace

void add_tensors(py::module_& module) {
  py::class_<Tensor>(module, "Tensor", "Numbers with a shape; attune.tensor() makes one of a NumPy array and shares its memory")
      .def(py::init(&tensor_of))
      .def_property_readonly("shape",
                             [](const Tensor& tensor) {
                               py::tuple sizes(tensor.shape().rank());
                               for (int i = 0; i < tensor.shape().rank(); ++i)
                                 sizes[static_cast<size_t>(i)] = tensor.shape()[i];
                               return sizes;
                             },
                             "its sizes, as a tuple")
      .def_property_readonly("dtype", [](const Tensor& tensor) { return std::string(name(tensor.dtype())); },
                             "f32, f64, i32, i8 or bf16")
      .def("numpy", &array_of, "The numbers as an array that shares their memory")
      .def("item", &Tensor::item, "The only number")
      .def_property_readonly("gradient",
                             [](const Tensor& tensor) -> py::object {
                               const Tensor gradient = leaf_gradient(tensor);
                               return gradient ? py::cast(gradient) : py::none();
                             },
                             "what backward() has added up; None unless this is a leaf");
  module.def("leaf", [](const Tensor& values) { return leaf(values); });
  module.def("backward", [](const Tensor& loss, double seed) { backward(loss, seed); }, py::arg("loss"), py::arg("seed") = 1.0,
             py::call_guard<py::gil_scoped_release>());
  py::class_<Optimiser>(module, "Adam", "Kingma and Ba's optimiser for some leaves")
      .def(py::init<std::vector<Tensor>, double, double, double, double>(), py::arg("leaves"), py::arg("learning_rate") = 1e-3,
           py::arg("beta1") = 0.9, py::arg("beta2") = 0.98, py::arg("epsilon") = 1e-9)
      .def("step", &Optimiser::step, "Changes the leaves by their gradients, and sets these to zero");
  py::module_ ops = module.def_submodule("ops");
  add_operations(ops);
}

}  // namespace attune::python
