// The corpora of a multilingual model: each direction takes those that have both of its languages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/corpus/corpus_source.h"

namespace attune {

// Files that differ only in the ending for their language are one corpus, and so is a stem (corpus for
// corpus.en, corpus.fr, ...) and a file that holds all columns. For each direction and corpus a source, whose
// `wanted` has the two languages. A UsageError if a corpus has no direction, or one has no training text.
std::vector<CorpusSource> directed_sources(std::string_view key, const std::vector<std::string>& files,
                                           const CorpusSource& like, const std::vector<std::string>& weights);

// The files of a stem for those of the languages that have one.
std::vector<std::string> some_files_of_stem(const std::string& stem,
                                            const std::vector<std::string>& languages);

// One for each corpus: as written, or 1.
std::vector<double> read_weights(const std::vector<std::string>& weights, size_t corpora);

}  // namespace attune
