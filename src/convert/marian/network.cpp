#include "convert/marian/network.h"

#include <fmt/core.h>

#include "attune/error.h"

namespace attune::marian {
namespace {

Tensor table_of(Tensors& tensors, const std::string& name, size_t rows) {
  const Tensor table = tensors.matrix(name);
  if (table.rows() != static_cast<int64_t>(rows))
    throw UsageError(fmt::format("{}: '{}' has {} rows, but dim-vocabs says {}", tensors.path().string(),
                                 name, table.rows(), rows));
  return table;
}

}  // namespace

Tying tying_of(const Options& options) {
  const bool all = options.flag("tied-embeddings-all"), sides = all || options.flag("tied-embeddings-src");
  return {sides, all || options.flag("tied-embeddings"), sides ? "Wemb" : "encoder_Wemb",
          sides ? "Wemb" : "decoder_Wemb"};
}

void add_words(Tensors& tensors, const Options& options, const MarianVocabularies& words,
               const std::string& output, Weights& to) {
  const Tying tying = tying_of(options);
  const auto sizes = options.list("dim-vocabs");
  const auto size = [&](size_t side) { return static_cast<size_t>(std::stoll(sizes[side])); };
  if (tying.embeddings && !words.same_tokens())
    throw UsageError(
        "the source and target embeddings are one table, but the two vocabularies differ; name the one for "
        "both "
        "with --vocabs");
  to["source.weight"] = words.source.embeddings(table_of(tensors, tying.source, size(0)));
  if (!tying.embeddings)
    to["target.weight"] = words.target.embeddings(table_of(tensors, tying.target, size(1)));
  if (!tying.output) {
    const bool untransposed = tensors.contains(output + "_W");  // in old files
    const Tensor weight = untransposed ? tensors.transposed(output + "_W") : tensors.matrix(output + "_Wt");
    if (weight.rows() != static_cast<int64_t>(size(1)))
      throw UsageError(fmt::format("{}: '{}' is for {} words, but dim-vocabs says {}",
                                   tensors.path().string(), output, weight.rows(), size(1)));
    to["output.weight"] = words.target.embeddings(weight);
  }
  const Tensor bias = options.flag("output-omit-bias") ? Tensor::zeros({static_cast<int64_t>(size(1))})
                                                       : tensors.vector(output + "_b");
  if (bias.size() != static_cast<int64_t>(size(1)))
    throw UsageError(fmt::format("{}: '{}_b' has {} numbers, but dim-vocabs says {}", tensors.path().string(),
                                 output, bias.size(), size(1)));
  to["output.bias"] = words.target.bias(bias);
}

}  // namespace attune::marian
