// Reads models of Marian: a .npz with its vocabularies, or a folder as OPUS-MT ships it.
#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "config/rules.h"
#include "convert/marian/files.h"
#include "convert/marian/network.h"

namespace attune::marian {
namespace {

std::vector<int64_t> vocabulary_sizes(const Options& options, const Tensors& tensors) {
  std::vector<int64_t> sizes;
  for (const std::string& size : options.list("dim-vocabs")) sizes.push_back(std::atoll(size.c_str()));
  require(sizes.size() == 2, "dim-vocabs",
          "attune reads models of one source and one target, but there are {} sizes", sizes.size());
  for (const int64_t size : sizes)
    require(size > 0 && size <= kMostWords && static_cast<double>(size) * sizeof(float) <= tensors.bytes(),
            "dim-vocabs", "{} words do not fit the arrays of this file", size);
  return sizes;
}

// One vocabulary is for both sides if they share their table, or if it is named twice.
void require_two(const ImportSource& source, const Options& options) {
  const auto pieces = std::ranges::count(source.vocabularies, ".spm", &std::filesystem::path::extension);
  const auto lists = std::ssize(source.vocabularies) - pieces;
  if (pieces < 2 && lists < 2 && !tying_of(options).embeddings)
    throw UsageError(fmt::format(
        "{}: source and target have tables of their own, but there is only one vocabulary, {}; if it "
        "is for both, name it twice with --vocabs",
        source.path.string(), source.vocabularies.at(0).filename().string()));
}

ImportedModel read(const ImportSource& source) {
  Tensors tensors(source.path, source.progress);
  const Options options(tensors.config(), source.path.string() + ": " + std::string(kConfigArray));
  const std::string type = options.text("type");
  require_word("type", type, {"transformer", "s2s", "amun", "nematus"});
  options.refuse_other_networks();
  const std::vector<int64_t> sizes = vocabulary_sizes(options, tensors);
  const auto [source_files, target_files] = sides_of(source.vocabularies);
  const MarianVocabularies words = read_vocabularies(source_files, target_files, sizes);
  require_two(source, options);
  ImportedModel model = type == "transformer" ? read_transformer(tensors, options, words)
                                              : read_recurrent(tensors, options, words);
  model.decoding = source.decoding;
  model.decoding.push_back(entry("unk", "suppress"));  // as Marian does
  return model;
}

const RegisterImporter registered{{.name = "marian",
                                   .what = "a Marian model (.npz, or a folder with one and its vocabularies)",
                                   .recognises = is_model,
                                   .read = read,
                                   .members = models_of,
                                   .takes_vocabularies = true}};

}  // namespace
}  // namespace attune::marian
