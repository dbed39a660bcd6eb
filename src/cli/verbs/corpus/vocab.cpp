// Makes vocabularies, and splits text with them.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "attune/error.h"
#include "cli/options/corpus_options.h"
#include "cli/verb.h"
#include "io/files/file.h"
#include "text/corpus/checks.h"
#include "text/utf8.h"
#include "text/vocabulary/vocabulary_trainer.h"

namespace attune::cli {
namespace {

constexpr const char* kExamples = R"(Examples:
  attune vocab -t train.en train.de --size 8000 -o joint.spm      one vocabulary for both languages
  attune vocab -t train.zh train.en --size 8000 -o zh.spm en.spm  one for each file
  attune vocab -t train.tsv --tsv --kind word -o words.txt
  attune vocab --encode joint.spm < test.en | attune vocab --decode joint.spm)";

struct Options {
  std::vector<std::string> train_sets, outputs;
  CorpusOptions corpus;
  bool no_byte_fallback = false, replace_invalid = false, ids = false;
  std::string user_symbols, encode, decode;
  VocabularyOptions vocabulary;
};

std::vector<std::string> split(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

// An option that takes one of the words of an enumeration.
template <class E>
void add_choice(CLI::App& app, const std::string& name, E& member, const std::string& help) {
  std::map<std::string, E> values;
  const auto list = enum_names(E{});
  for (size_t i = 0; i < list.size(); ++i) values[list[i]] = static_cast<E>(i);
  const std::string all = fmt::format("{}", fmt::join(list, ", "));
  app.add_option_function<std::string>(
         name,
         [&member, values, all, name](const std::string& word) {
           const auto found = values.find(word);
           if (found == values.end())
             throw UsageError(fmt::format("vocab: {} takes {}, but '{}' was given", name, all, word));
           member = found->second;
         },
         fmt::format("{}: {}", help, all))
      ->default_str(list[static_cast<size_t>(member)]);
}

// ---- Making

// How much of the text is known, and how a line looks.
void summarise(const Vocabulary& vocabulary, const std::string& path, const std::vector<TextLines>& text) {
  constexpr int64_t kLines = 1000;  // enough for a share
  int64_t tokens = 0, unknown = 0, bytes = 0;
  for (const TextLines& lines : text) {
    const Coverage coverage = measure_coverage(vocabulary, lines, kLines);
    tokens += coverage.tokens;
    unknown += coverage.unknown;
    bytes += coverage.bytes;
  }
  const auto percent = [tokens](int64_t part) {
    return 100 * static_cast<double>(part) / static_cast<double>(std::max<int64_t>(tokens, 1));
  };
  fmt::print(stderr, "{}: {} with {} tokens; {:.2f}% of the text is unknown{}\n  {}\n", path,
             name_of(vocabulary.kind()), vocabulary.size(), percent(unknown),
             bytes > 0 ? fmt::format(" and {:.2f}% is bytes of rare characters", percent(bytes)) : "",
             fmt::join(vocabulary.pieces(text[0].line(0)), " "));
}

void make(const std::vector<TextLines>& text, const VocabularyOptions& options, const std::string& path) {
  const auto vocabulary = train_vocabulary(text, options);
  write_output_file(path, vocabulary->serialized());
  summarise(*vocabulary, path, text);
}

// One vocabulary is made of all files together, several are made of one file (or column of a table) each.
void make_all(const Options& options) {
  const InvalidUtf8 invalid = options.replace_invalid ? InvalidUtf8::replace : InvalidUtf8::refuse;
  std::vector<std::unique_ptr<Corpus>> files;
  std::vector<std::vector<TextLines>> parts;
  bool tables = false;
  for (size_t i = 0; i < options.train_sets.size(); ++i) {
    const std::string& path = options.train_sets[i];
    files.push_back(std::make_unique<Corpus>(options.corpus.sources({path}), invalid));
    const Corpus& corpus = *files.back();
    say_left_out(corpus);
    tables = tables || corpus.columns() > 1;
    for (size_t column = 0; column < corpus.columns(); ++column) {
      const size_t part = options.outputs.size() == 1 ? 0 : corpus.columns() > 1 ? column : i;
      parts.resize(std::max(parts.size(), part + 1));
      parts[part].push_back(column_of(corpus, column));
    }
  }
  if (parts.size() != options.outputs.size())
    throw UsageError(
        fmt::format("vocab: {} {} for {} vocabularies; give one -o for all together, or one for each",
                    parts.size(), tables ? "columns" : "files", options.outputs.size()));
  for (size_t i = 0; i < parts.size(); ++i) make(parts[i], options.vocabulary, options.outputs[i]);
}

// ---- Using

std::string checked(std::string line, int64_t number, bool replace) {
  if (line.ends_with('\r')) line.pop_back();
  const auto bad = find_invalid_utf8(line);
  if (!bad) return line;
  if (replace) return replace_invalid_utf8(line);
  throw UsageError(fmt::format("stdin:{}: byte {} is not UTF-8 (--replace-invalid-utf8 replaces such bytes)",
                               number, *bad + 1));
}

std::string encoded(const Vocabulary& vocabulary, const std::string& line, bool as_ids) {
  return as_ids ? fmt::format("{}", fmt::join(vocabulary.encode(line), " "))
                : fmt::format("{}", fmt::join(vocabulary.pieces(line), " "));
}

int32_t parse_id(const Vocabulary& vocabulary, const std::string& word, int64_t line) {
  int64_t id = -1;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), id);
  if (error != std::errc() || end != word.data() + word.size() || id < 0 || id >= vocabulary.size())
    throw UsageError(
        fmt::format("stdin:{}: '{}' should be an id from 0 to {}", line, word, vocabulary.size() - 1));
  return static_cast<int32_t>(id);
}

std::string decoded(const Vocabulary& vocabulary, const std::string& line, int64_t number, bool as_ids) {
  if (!as_ids) return vocabulary.join(split(line));
  std::vector<int32_t> ids;
  for (const std::string& word : split(line)) ids.push_back(parse_id(vocabulary, word, number));
  return vocabulary.decode(ids);
}

void filter(const Options& options) {
  const bool encoding = !options.encode.empty();
  const auto vocabulary = load_vocabulary(encoding ? options.encode : options.decode);
  int64_t number = 0;
  for (std::string line; std::getline(std::cin, line);) {
    line = checked(std::move(line), ++number, options.replace_invalid);
    fmt::print("{}\n", encoding ? encoded(*vocabulary, line, options.ids)
                                : decoded(*vocabulary, line, number, options.ids));
  }
}

// ---- Options

void run(const Options& options) {
  const int tasks = !options.train_sets.empty() + !options.encode.empty() + !options.decode.empty();
  if (tasks != 1)
    throw UsageError("vocab: give one of --train-sets, --encode and --decode (--help shows examples)");
  if (options.train_sets.empty()) return filter(options);
  if (options.outputs.empty()) throw UsageError("vocab: name the file for the vocabulary: -o FILE");
  for (const std::string& path : options.outputs)
    if (const auto folder = std::filesystem::path(path).parent_path();
        !folder.empty() && !std::filesystem::is_directory(folder))
      throw UsageError(fmt::format("vocab: {}: there is no folder {}", path, folder.string()));
  make_all(options);
}

Action set_up(CLI::App& app) {
  auto options = std::make_shared<Options>();
  VocabularyOptions& v = options->vocabulary;
  app.footer(kExamples);
  app.add_option(
         "-t,--train-sets", options->train_sets,
         "files to learn from: a sentence a line, or TMX, CSV, JSON lines and others (docs/guide/data.md)")
      ->default_str("");
  app.add_option("-o,--output", options->outputs,
                 "where the vocabulary goes: one file for all texts together, or one for each text")
      ->default_str("");
  options->corpus.add_options(app);
  add_choice(app, "--kind", v.kind, "how text is split");
  app.add_option("--size", v.size, "most tokens, including the special symbols")
      ->check(CLI::Range(1, 100'000'000));
  app.add_flag("--exact-size", v.exact_size, "unigram, bpe: refuse text that gives fewer tokens");
  // One argument: in a list, CLI11 would take the brackets of [MASK] for its own.
  app.add_option("--user-symbols", options->user_symbols,
                 "symbols that are never split, in one argument and separated by blanks: '[MASK] [CLS]'");
  app.add_option("--min-frequency", v.min_frequency, "word, char: rarer ones become unknown");
  app.add_option(
      "--character-coverage", v.character_coverage,
      "unigram, bpe: share of the text whose characters get a token, 0.98 to 1; 0: by the alphabet");
  app.add_flag("--no-byte-fallback", options->no_byte_fallback,
               "unigram, bpe: characters without a token become <unk> instead of their bytes");
  add_choice(app, "--normalisation", v.normalisation, "unigram, bpe: Unicode normalisation");
  app.add_option(
         "--sentences", v.sentences,
         "unigram, bpe: learn from this many lines, chosen at random; at most 24 MB of text, for which "
         "unigram takes 0.6 GB of memory")
      ->check(CLI::PositiveNumber);
  app.add_option("--seed", v.seed, "seed of that choice");
  app.add_option("--encode", options->encode,
                 "split stdin into tokens of this vocabulary, separated by blanks");
  app.add_option("--decode", options->decode, "join the tokens on stdin into text");
  app.add_flag("--ids", options->ids, "with --encode and --decode: numbers instead of tokens");
  app.add_flag("--replace-invalid-utf8", options->replace_invalid,
               "replace bytes that are not UTF-8 instead of stopping");
  return [options] {
    options->vocabulary.byte_fallback = !options->no_byte_fallback;
    options->vocabulary.user_symbols = split(options->user_symbols);
    run(*options);
  };
}

const RegisterVerb registered{{"vocab", "make a vocabulary, or split text with one", set_up}};

}  // namespace
}  // namespace attune::cli
