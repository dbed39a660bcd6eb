// What was left out of the corpora of a run: counted for the log, and listed in left-out.tsv.
#pragma once

#include <filesystem>
#include <vector>

#include "text/corpus/corpus.h"
#include "train/data/run_vocabularies.h"

namespace attune {

constexpr const char* kLeftOutFile = "left-out.tsv";

// A line for each source of which something was left out.
void say_left_out(const Corpus& corpus, const Say& say);

// If bad lines are skipped, also writes "train.en:17 <tab> not UTF-8" for each row
// that was left out, in the order of the files.
void report_left_out(const std::filesystem::path& folder, const TrainConfig& config, const Corpus& training,
                     const std::vector<const Corpus*>& validation, const Say& say);

}  // namespace attune
