#include <attune/evaluation.h>
#include <attune/loaded_vocabulary.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "interruptible.h"
#include "module.h"

namespace attune::python {
namespace {

using Texts = std::vector<std::string>;

void add_vocabulary(py::module_& module) {
  py::class_<LoadedVocabulary>(module, "Vocabulary")
      .def(py::init<const std::filesystem::path&>())
      .def_static("learn",
                  [](const Texts& lines, const std::string& kind, int64_t size, const Texts& symbols) {
                    const py::gil_scoped_release released;
                    return LoadedVocabulary::learn(lines, {.kind = kind, .size = size, .user_symbols = symbols});
                  })
      .def_property_readonly("kind", &LoadedVocabulary::kind)
      .def("__len__", &LoadedVocabulary::size)
      .def("encode", &LoadedVocabulary::encode)
      .def("decode", [](const LoadedVocabulary& words, const std::vector<int32_t>& ids) { return words.decode(ids); })
      .def("pieces", &LoadedVocabulary::pieces)
      .def("join", &LoadedVocabulary::join)
      .def("piece", &LoadedVocabulary::piece)
      .def("id", &LoadedVocabulary::id)
      .def_property_readonly("unk", &LoadedVocabulary::unk)
      .def_property_readonly("bos", &LoadedVocabulary::bos)
      .def_property_readonly("eos", &LoadedVocabulary::eos)
      .def("save", &LoadedVocabulary::save);
}

}  // namespace

void add_text(py::module_& module) {
  add_vocabulary(module);
  py::class_<EvaluationOptions>(module, "EvaluationOptions")
      .def(py::init<>())
      .def_readwrite("metrics", &EvaluationOptions::metrics)
      .def_readwrite("tokenize", &EvaluationOptions::tokenize)
      .def_readwrite("lowercase", &EvaluationOptions::lowercase)
      .def_readwrite("effective_order", &EvaluationOptions::effective_order)
      .def_readwrite("smooth_method", &EvaluationOptions::smooth_method)
      .def_readwrite("smooth_value", &EvaluationOptions::smooth_value)
      .def_readwrite("chrf_char_order", &EvaluationOptions::chrf_char_order)
      .def_readwrite("chrf_word_order", &EvaluationOptions::chrf_word_order)
      .def_readwrite("chrf_lowercase", &EvaluationOptions::chrf_lowercase)
      .def_readwrite("ter_case_sensitive", &EvaluationOptions::ter_case_sensitive)
      .def_readwrite("ter_normalized", &EvaluationOptions::ter_normalized)
      .def_readwrite("ter_no_punct", &EvaluationOptions::ter_no_punct)
      .def_readwrite("ter_asian_support", &EvaluationOptions::ter_asian_support)
      .def_readwrite("rouge_stemmer", &EvaluationOptions::rouge_stemmer);
  py::class_<MetricScore>(module, "MetricScore", "A metric's score, with the signature that says how it was counted")
      .def_readonly("name", &MetricScore::name, "the name of the metric: BLEU")
      .def_readonly("score", &MetricScore::score, "the number")
      .def_readonly("signature", &MetricScore::signature, "how it was counted, as sacreBLEU writes it")
      .def_readonly("verbose", &MetricScore::verbose, "the numbers behind it, if there are any")
      .def_readonly("higher_is_better", &MetricScore::higher_is_better, "False for error rates")
      .def("__str__",
           [](const MetricScore& one) {
             return py::str("{}|{} = {:.1f} {}").format(one.name, one.signature, one.score, one.verbose).attr("rstrip")();
           })
      .def("__repr__",
           [](const MetricScore& one) { return py::str("MetricScore({!r}, {:.4f})").format(one.name, one.score); });
  module.def("evaluate", [](const Texts& hypotheses, const std::vector<Texts>& references, const EvaluationOptions& options) {
    const py::gil_scoped_release released;
    return evaluate(hypotheses, references, options);
  });
  module.def("metric_names", &metric_names);
}

}  // namespace attune::python
