#include <attune/loaded_model.h>
#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "interruptible.h"
#include "module.h"
#include "settings.h"

namespace attune::python {
namespace {

using Texts = std::vector<std::string>;
using Rows = std::vector<Texts>;

DecodingOptions decoding_of(py::dict options) {
  DecodingOptions decoding;
  const auto take = [&](const char* key, auto& to) {
    if (!options.contains(key)) return;
    if (const py::object value = options.attr("pop")(key); !value.is_none()) to = value.cast<std::decay_t<decltype(to)>>();
  };
  options = options.attr("copy")();
  take("n_best", decoding.n_best);
  take("alignment", decoding.alignment);
  decoding.others = settings_of(options);
  return decoding;
}

// A few sentences are not worth a thread.
constexpr size_t kFew = 8;

template <class Work>
auto by_size(size_t sentences, const Work& work) {
  return sentences <= kFew ? brief(work) : lengthy(work);
}

py::array_t<float> weights_of(const SeenAttention& seen, const SeenLayer& layer) {
  const py::capsule keeper(new SeenAttention(seen), [](void* kept) { delete static_cast<SeenAttention*>(kept); });
  py::array_t<float> weights({layer.heads, layer.queries, layer.keys}, layer.weights, keeper);
  weights.attr("setflags")(py::arg("write") = false);
  return weights;
}

void add_results(py::module_& module) {
  py::class_<ModelOutput>(module, "Output", "What a model wrote, and how sure it is")
      .def_readonly("text", &ModelOutput::text, "the text")
      .def_readonly("score", &ModelOutput::score, "its log probability")
      .def_readonly("normalised", &ModelOutput::normalised, "the score for comparisons: divided by a power of the length")
      .def_readonly("ended", &ModelOutput::ended, "False if it was cut: at the maximum length, or at a stop text")
      .def_readonly("tokens", &ModelOutput::tokens, "its tokens, without </s>")
      .def_readonly("word_scores", &ModelOutput::word_scores, "log p of each token, and of </s> if it ended")
      .def_readonly("alignment", &ModelOutput::alignment, "with alignment=True: for each of word_scores, the weights of the source tokens")
      .def("__str__", [](const ModelOutput& output) { return output.text; })
      .def("__repr__", [](const ModelOutput& output) {
        return py::str("Output({!r}, score={:.4f})").format(output.text, output.score);
      });
  py::class_<TextScore>(module, "Score", "How likely a model finds a given text")
      .def_readonly("log_p", &TextScore::log_p, "the sum of word_scores")
      .def_readonly("word_scores", &TextScore::word_scores, "log p of each token")
      .def_readonly("tokens", &TextScore::tokens, "the tokens of the text")
      .def("__repr__", [](const TextScore& score) { return py::str("Score(log_p={:.4f})").format(score.log_p); });
  py::class_<LabelProbability>(module, "Label", "A class or tag, and its probability")
      .def_readonly("label", &LabelProbability::label, "its name")
      .def_readonly("probability", &LabelProbability::probability, "from 0 to 1")
      .def("__repr__", [](const LabelProbability& label) {
        return py::str("Label({!r}, {:.4f})").format(label.label, label.probability);
      });
  py::class_<TextLabels>(module, "Labels", "The class of a text, or the tags of its tokens")
      .def_readonly("tokens", &TextLabels::tokens, "the tokens of the text")
      .def_readonly("labels", &TextLabels::labels, "of the text, or of each token: a list of Label, likeliest first");
  py::class_<FillCandidate>(module, "Candidate", "A word for a masked place")
      .def_readonly("word", &FillCandidate::word, "as text")
      .def_readonly("token", &FillCandidate::token, "as the vocabulary has it")
      .def_readonly("probability", &FillCandidate::probability, "from 0 to 1")
      .def_readonly("text", &FillCandidate::text, "the whole text with this word in its place")
      .def("__repr__", [](const FillCandidate& one) {
        return py::str("Candidate({!r}, {:.4f})").format(one.word, one.probability);
      });
  py::class_<TextAnswer>(module, "Answer", "The part of a passage that answers a question")
      .def_readonly("text", &TextAnswer::text, "that part; empty if question or passage is blank")
      .def_readonly("probability", &TextAnswer::probability, "from 0 to 1")
      .def_readonly("begin", &TextAnswer::begin, "where it begins in the UTF-8 bytes of the passage")
      .def("__repr__", [](const TextAnswer& one) {
        return py::str("Answer({!r}, {:.4f})").format(one.text, one.probability);
      });
}

void add_attention(py::module_& module) {
  const auto choice = [](const std::optional<std::string>& kind, std::optional<int64_t> layer, std::optional<int64_t> head) {
    return SeenChoice{.kind = kind.value_or(""), .layer = layer, .head = head};
  };
  py::class_<SeenAttention>(module, "Attention")
      .def_property_readonly("source", &SeenAttention::source)
      .def_property_readonly("target", &SeenAttention::target)
      .def_property_readonly("source_tokens", &SeenAttention::source_tokens)
      .def_property_readonly("target_tokens", &SeenAttention::target_tokens)
      .def_property_readonly("output_tokens", &SeenAttention::output_tokens)
      .def("layers",
           [](const SeenAttention& seen) {
             py::list all;
             for (const SeenLayer& layer : seen.layers())
               all.append(py::make_tuple(layer.kind, layer.number, layer.all_heads, weights_of(seen, layer)));
             return all;
           })
      .def("words", &SeenAttention::words)
      .def("svg",
           [choice](const SeenAttention& seen, const std::optional<std::string>& kind, std::optional<int64_t> layer,
                    std::optional<int64_t> head) { return seen.svg(choice(kind, layer, head)); })
      .def("terminal",
           [choice](const SeenAttention& seen, const std::optional<std::string>& kind, std::optional<int64_t> layer,
                    std::optional<int64_t> head) { return seen.terminal(choice(kind, layer, head)); })
      .def("json", &SeenAttention::json)
      .def("html", &SeenAttention::html, py::arg("title") = "");
}

}  // namespace

void add_model(py::module_& module) {
  add_results(module);
  add_attention(module);
  using Show = std::function<bool(const std::string&)>;
  const auto shown = [](const py::function& show) -> Show {
    return [&show](const std::string& text) {
      const py::gil_scoped_acquire acquired;
      return show(text).cast<bool>();
    };
  };
  py::class_<LoadedModel>(module, "Model")
      .def(py::init([](const Texts& folders, const std::vector<double>& weights) {
        return folders.size() == 1 ? LoadedModel(std::filesystem::path(folders[0])) : LoadedModel(folders, weights);
      }))
      .def_property_readonly("path", [](const LoadedModel& model) { return model.path().string(); })
      .def_property_readonly("type", &LoadedModel::type)
      .def_property_readonly("target_languages", &LoadedModel::target_languages)
      .def("towards", &LoadedModel::towards)
      .def("translate",
           [](const LoadedModel& model, const Texts& sentences, const py::dict& options) {
             const DecodingOptions decoding = decoding_of(options);
             return by_size(sentences.size(), [&] { return model.translate(sentences, decoding); });
           })
      .def("outputs",
           [](const LoadedModel& model, const Texts& sentences, const py::dict& options) {
             const DecodingOptions decoding = decoding_of(options);
             return by_size(sentences.size(), [&] { return model.outputs(sentences, decoding); });
           })
      .def("stream",
           [shown](const LoadedModel& model, const std::string& sentence, const py::function& show) {
             brief([&] { model.stream(sentence, shown(show)); });
           })
      .def("source_tokens", &LoadedModel::source_tokens)
      .def("generate",
           [](const LoadedModel& model, const std::string& prompt, const Texts& stops, const py::dict& options) {
             const GenerationOptions wanted{.decoding = decoding_of(options), .stops = stops};
             return brief([&] { return model.generate(prompt, wanted); });
           })
      .def("generate_stream",
           [shown](const LoadedModel& model, const std::string& prompt, const Texts& stops, const py::dict& options,
                   const py::function& show) {
             const GenerationOptions wanted{.decoding = decoding_of(options), .stops = stops};
             return brief([&] { return model.generate(prompt, wanted, shown(show)); });
           })
      .def("score",
           [](const LoadedModel& model, const Rows& rows) {
             return by_size(rows.size(), [&] { return model.score(rows); });
           })
      .def("classify",
           [](const LoadedModel& model, const Rows& rows, int64_t top) {
             return by_size(rows.size(), [&] { return model.classify(rows, top); });
           })
      .def("fill",
           [](const LoadedModel& model, const std::string& text, int64_t top) {
             return brief([&] { return model.fill(text, top); });
           })
      .def("answer",
           [](const LoadedModel& model, const std::string& question, const std::string& passage) {
             return brief([&] { return model.answer(question, passage); });
           })
      .def("predict",
           [](const LoadedModel& model, const Texts& samples) {
             py::list arrays;
             for (const NumberRows& each : by_size(samples.size(), [&] { return model.predict(samples); }))
               arrays.append(py::array_t<float>({each.rows, each.columns}, each.numbers.data()));
             return arrays;
           })
      .def("embed",
           [](const LoadedModel& model, const Texts& texts, int64_t layer) {
             py::list all;
             for (const EmbeddedText& each : by_size(texts.size(), [&] { return model.embed(texts, layer); }))
               all.append(py::make_tuple(
                   each.tokens, py::array_t<float>({static_cast<int64_t>(each.tokens.size()), each.size}, each.vectors.data())));
             return all;
           })
      .def("attend", [](const LoadedModel& model, const std::string& source, const std::optional<std::string>& target,
                        const py::dict& options) {
        const DecodingOptions decoding = decoding_of(options);
        return brief([&] { return model.attend(source, target, decoding); });
      });
}

}  // namespace attune::python
