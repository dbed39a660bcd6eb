// Reads a file of llama2.c, with its vocabulary next to it, as a gpt model.
#include <fmt/core.h>

#include "config/rules.h"
#include "convert/convert.h"
#include "convert/llama2c/file.h"
#include "models/blocks/gpt.h"

namespace attune {
namespace {

namespace fs = std::filesystem;
using llama2c::Sizes;

GptConfig config_of(const Sizes& sizes) {
  GptConfig config;
  config.layers = sizes.layers;
  config.d_model = sizes.d;
  config.heads = sizes.heads;
  if (sizes.kv_heads != sizes.heads) config.key_heads = sizes.kv_heads;
  config.feed_forward = sizes.hidden;
  config.activation = FeedForwardKind::swiglu;
  config.norm = NormPlace::pre;
  config.norm_kind = NormKind::rms;
  config.positions = PositionKind::rotary;
  config.scale_embeddings = false;
  config.dropout = 0;
  config.max_positions = sizes.positions;
  config.tied_output = !sizes.own_output;
  return config;
}

// The only tok*.bin in the folder of the model.
fs::path vocabulary_beside(const fs::path& model) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(fs::absolute(model).parent_path())) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("tok") && name.ends_with(".bin")) found.push_back(entry.path());
  }
  if (found.size() != 1)
    throw UsageError(fmt::format(
        "{}: its vocabulary, a single tok*.bin, should be next to it, but there are {} such files",
        model.string(), found.size()));
  return found[0];
}

bool recognises(const fs::path& path) {
  return fs::is_regular_file(path) && path.extension() == ".bin" &&
         llama2c::sizes_of(FileBytes::map(path)->bytes());
}

ImportedModel read(const ImportSource& source) {
  const fs::path& path = source.path;
  auto file = FileBytes::map(path);
  const Sizes sizes = llama2c::sizes_of(file->bytes()).value();
  auto weights = llama2c::read_weights(std::move(file), sizes);
  const auto words = llama2c::read_vocabulary(vocabulary_beside(path), sizes.words);
  return {config_as("gpt", config_of(sizes)), {words, words}, std::move(weights)};
}

const RegisterImporter registered{
    {"llama2c", "a file MODEL.bin of llama2.c, with tok*.bin next to it", recognises, read}};

}  // namespace
}  // namespace attune
