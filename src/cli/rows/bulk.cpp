#include "cli/rows/bulk.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "attune/error.h"
#include "attune/threads.h"
#include "base/say.h"
#include "decode/ordered_work.h"
#include "decode/word_choice/shortlist.h"
#include "io/files/digest.h"
#include "io/files/directory.h"
#include "io/files/file.h"
#include "io/files/temporary.h"
#include "text/corpus/line_stream.h"

namespace attune::cli {
namespace {

namespace fs = std::filesystem;

constexpr size_t kRowsAPiece = 256;

// Which of the parts 0, 1, 2, ... a job does: every step-th from `first` on.
struct Stride {
  int64_t first = 0, step = 1;
};

Stride stride_of(const std::string& shard) {
  if (shard.empty()) return {};
  int64_t index = 0, count = 0;
  const char* end = shard.data() + shard.size();
  const auto [slash, error] = std::from_chars(shard.data(), end, index);
  if (error != std::errc() || slash == end || *slash != '/' ||
      std::from_chars(slash + 1, end, count).ptr != end || index < 1 || index > count)
    throw UsageError(fmt::format("--shard: '{}' should be I/N, from 1/N to N/N", shard));
  return {index - 1, count};
}

// What a model computes with, wherever it lies.
std::string content_of(const ModelFiles& model) {
  std::string text = model.vocabularies.source->serialized() + model.vocabularies.target->serialized();
  for (const Entries& entries : {read_model_entries(model.path), model.decoding})
    for (const Entry& entry : entries)
      text += fmt::format("{}: {}\n", entry.key, fmt::join(entry.values, " "));
  if (const fs::path shortlist = model.path / kShortlistFile; fs::exists(shortlist))
    text += file_digest(shortlist);
  return fmt::format("weights {}; all else {}", weights_digest(model), text_digest(text));
}

struct PartPiece {
  RowPiece piece;
  int64_t part = 0;
  bool last = false;  // of its part
};

struct PartWritten {
  Written written;
  int64_t part = 0;
  bool last = false;
};

class Parts {
 public:
  Parts(const BulkOptions& options, Ranks& ranks)
      : options_(options),
        ranks_(ranks),
        stride_(stride_of(options.shard)),
        folder_(options.output),
        lines_(options.input) {}

  // The settings that the folder was started with must be those of now.
  void keep_settings(const LastingSettings& settings) const {
    const fs::path file = folder_ / "parts.json";
    if (ranks_.first()) {
      if (!fs::is_regular_file(options_.input))
        throw UsageError(options_.input +
                         ": --input must be a regular file, so that its parts can be found again");
      const nlohmann::json now{{"input", file_digest(options_.input)},
                               {"models", settings.models},
                               {"part_lines", options_.part_lines},
                               {"options", settings.options}};
      make_directories(folder_);
      remove_stale_temporaries(folder_);
      const std::string text = now.dump(2) + "\n";
      if (!fs::exists(file)) write_file_atomically(file, text);
      if (const std::string before = read_file(file); before != text)
        throw UsageError(
            fmt::format("{}: the parts in this folder were made differently, with:\n{}but now you ask for:\n"
                        "{}Choose another --output, or remove this one",
                        folder_.string(), before, text));
    }
    ranks_.meet();
  }

  // The next piece of a part that is not done yet.
  std::optional<PartPiece> next() {
    if (!part_ && !take_part()) return std::nullopt;
    const int64_t end = (*part_ + 1) * options_.part_lines;
    PartPiece piece{{lines_.number(), {}}, *part_};
    while (piece.piece.rows.size() < kRowsAPiece && lines_.number() < end && !lines_.ended())
      piece.piece.rows.push_back({lines_.next()});
    piece.last = lines_.number() == end || lines_.ended();
    if (piece.last) part_.reset();
    return piece;
  }

  void write(const PartWritten& result) {
    say(result.written.warnings);
    if (!file_) file_.emplace(path_of(result.part));
    file_->write(result.written.text);
    if (!result.last) return;
    file_->commit();
    file_.reset();
    say(fmt::format("attune: {} is written{}\n", path_of(result.part).string(),
                    ranks_.alone() ? "" : fmt::format(" (rank {})", ranks_.rank())));
  }

  // Once next() has reached the end.
  void report() {
    ranks_.meet();
    if (!ranks_.first()) return;
    const int64_t parts = (lines_.number() + options_.part_lines - 1) / options_.part_lines;
    int64_t missing = 0;
    for (int64_t i = 0; i < parts; ++i) missing += fs::exists(path_of(i)) ? 0 : 1;
    if (missing == 0)
      say(fmt::format("attune: all {} parts are done: cat {}/part-*.txt gives the {} lines in order\n", parts,
                      folder_.string(), lines_.number()));
    else
      say(fmt::format("attune: {} of {} parts are still missing: other shards have to do them\n", missing,
                      parts));
  }

 private:
  fs::path path_of(int64_t part) const { return folder_ / fmt::format("part-{:08}.txt", part); }

  bool take_part() {
    while (!lines_.ended()) {
      const int64_t part = stride_.first + stride_.step * ranks_.next_number();
      if (fs::exists(path_of(part))) continue;
      lines_.skip_to(part * options_.part_lines);
      if (!lines_.ended()) part_ = part;
      if (part_) return true;
    }
    return false;
  }

  const BulkOptions& options_;
  Ranks& ranks_;
  Stride stride_;
  fs::path folder_;
  LineStream lines_;
  std::optional<int64_t> part_;     // that is being read
  std::optional<AtomicFile> file_;  // of the part that is being written
};

}  // namespace

void BulkOptions::add_options(CLI::App& app) {
  app.add_option("--input", input, "file to translate in parts, instead of stdin (.gz too)");
  app.add_option("--output", output, "folder for the parts; parts that exist are not done again");
  app.add_option("--part-lines", part_lines, "lines per part")->check(CLI::PositiveNumber);
  app.add_option("--shard", shard,
                 "I/N: do every N-th part from the I-th on (1/N to N/N), for arrays of jobs");
}

LastingSettings lasting_settings(const CLI::App& app, std::span<const ModelFiles> models) {
  LastingSettings settings;
  for (const ModelFiles& model : models) settings.models.push_back(content_of(model));
  std::istringstream lines(app.config_to_str());
  for (std::string line; std::getline(lines, line);) {
    const std::string key = line.substr(0, line.find('='));
    const bool passing = key == "model" || key == "input" || key == "output" || key == "shard" ||
                         key == "part-lines" || key == "cpu-threads" || key == "mini-batch-words";
    if (!passing) settings.options += (settings.options.empty() ? "" : "; ") + line;
  }
  return settings;
}

void translate_in_parts(const BulkOptions& options, const LastingSettings& settings, Ranks& ranks,
                        int workers, const std::function<Written(RowPiece)>& work) {
  if (options.input.empty() || options.output.empty())
    throw UsageError("--input and --output go together: a file, and a folder for the parts");
  Parts parts(options, ranks);
  parts.keep_settings(settings);
  ordered_work<PartPiece, PartWritten>(
      workers, [&] { return parts.next(); },
      [&](PartPiece&& piece) {
        const ThreadCount one(1);  // every worker runs whole batches on its own
        return PartWritten{work(std::move(piece.piece)), piece.part, piece.last};
      },
      [&](PartWritten&& result) { parts.write(result); });
  parts.report();
}

}  // namespace attune::cli
