#include "convert/convert_folder.h"

#include <fmt/format.h>

#include "base/readable.h"
#include "config/rules.h"

namespace attune {
namespace {

namespace fs = std::filesystem;

ImportedModel read(const Importer& importer, ImportSource source, const ConversionWatch& watch) {
  source.progress = [&, file = source.path.filename().string()](double share) { watch.read(file, share); };
  try {
    return importer.read(source);
  } catch (const UsageError& error) {
    const std::string text = error.what(), path = source.path.string();
    throw UsageError(text.starts_with(path) ? text : path + ": " + text);
  }
}

void import_one(const Importer& importer, const ImportSource& source, const fs::path& to,
                const ConversionWatch& watch) {
  const ImportedModel model = read(importer, source, watch);
  save_imported(model, to);
  int64_t numbers = 0;
  for (const auto& [name, tensor] : model.weights) numbers += tensor.size();
  watch.say(fmt::format("{}: a model of type {} with {} parameters", to.string(), model.config->type(),
                        grouped(numbers)));
}

// What was recognised, before the work begins.
void tell(const fs::path& from, const Importer& importer, const std::vector<ImportSource>& members,
          const ConversionWatch& watch) {
  watch.say(fmt::format("{}: {}", from.string(), importer.what));
  if (importer.about != nullptr) watch.say("  " + importer.about(from));
  for (const ImportSource& member : members) {
    std::vector<std::string> names;
    for (const auto& vocabulary : member.vocabularies) names.push_back(vocabulary.filename().string());
    for (const Entry& option : member.decoding)
      names.push_back(fmt::format("{} {}", option.key, option.values[0]));
    if (!names.empty())
      watch.say(fmt::format("  {} with {}", member.path.filename().string(), fmt::join(names, ", ")));
  }
}

std::vector<fs::path> import_all(const Importer& importer, const std::vector<ImportSource>& members,
                                 const fs::path& out, const ConversionWatch& watch) {
  std::vector<fs::path> folders;
  fs::create_directories(out);
  try {
    for (const ImportSource& member : members) {
      folders.push_back(out / std::to_string(folders.size() + 1));
      import_one(importer, member, folders.back(), watch);
    }
  } catch (...) {
    for (const fs::path& folder : folders) remove_model_folder(folder);
    fs::remove(out);
    throw;
  }
  return folders;
}

}  // namespace

void require_free(const fs::path& to) {
  if (fs::exists(to) && !fs::exists(to / "config.json") && !fs::is_empty(to))
    throw UsageError(fmt::format("{}: this exists and is not a model; choose another name", to.string()));
}

std::vector<fs::path> import_model(const ImportSource& from, const fs::path& to,
                                   const ConversionWatch& watch) {
  require_free(to);
  const Importer& importer = importer_of(from.path);
  require(importer.takes_vocabularies || from.vocabularies.empty(), "--vocabs",
          "{} has its vocabulary with it; leave the option out", importer.what);
  const std::vector<ImportSource> members =
      importer.members != nullptr ? importer.members(from) : std::vector{from};
  tell(from.path, importer, members, watch);
  if (members.size() > 1) return import_all(importer, members, to, watch);
  import_one(importer, members[0], to, watch);
  return {to};
}

}  // namespace attune
