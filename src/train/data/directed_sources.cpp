#include "train/data/directed_sources.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "config/rules.h"
#include "text/directions/direction.h"
#include "text/formats/language_tags.h"

namespace attune {
namespace {

struct Group {
  std::string name;
  std::map<std::string, std::string> files =
      {};  // by language; none: `name` is a file that holds all columns
};

// The language that the ending stands for; empty if it is none of them.
std::string language_of(const std::string& ending, const std::vector<std::string>& languages) {
  std::string best;
  TagMatch found = TagMatch::none;
  for (const std::string& language : languages)
    if (const TagMatch match = match_tags(language, ending); match > found) {
      best = language;
      found = match;
    }
  return best;
}

class Groups {
 public:
  Groups(std::string_view key, const CorpusSource& like)
      : key_(key),
        like_(like),
        directions_(read_directions(like.wanted.languages)),
        languages_(languages_of(directions_)) {}

  void add(const std::string& file) {
    if (like_.tsv || holds_all_columns(file, like_.wanted)) {
      groups_.push_back({file});
      return;
    }
    Group stem{file};
    for (const std::string& language : languages_)
      if (auto of_stem = files_of_stem(file, {language}); !of_stem.empty()) stem.files[language] = of_stem[0];
    if (!stem.files.empty())
      groups_.push_back(std::move(stem));
    else
      add_file(file);
  }

  std::vector<CorpusSource> sources(const std::vector<std::string>& weights) const {
    const std::vector<double> numbers = read_weights(weights, groups_.size());
    std::vector<CorpusSource> all;
    for (size_t i = 0; i < groups_.size(); ++i)
      for (CorpusSource& source : sources_of(groups_[i])) {
        source.weight = numbers[i];
        all.push_back(std::move(source));
      }
    std::vector<CorpusSource> in_order;
    for (const Direction& direction : directions_) {
      const size_t before = in_order.size();
      for (const CorpusSource& source : all)
        if (source.wanted == wanted(direction)) in_order.push_back(source);
      require(key_ == "valid_sets" || in_order.size() > before, key_, "no corpus has both languages of {}",
              direction.text());
    }
    return in_order;
  }

 private:
  static WantedColumns wanted(const Direction& direction) {
    return {{direction.source, direction.target}, {}};
  }

  void add_file(const std::string& file) {
    const std::string ending = language_ending(file), language = language_of(ending, languages_);
    require(!language.empty(), key_,
            "the name of {} does not end in one of the languages ({}), as in corpus.{}; which is it in?",
            file, fmt::join(languages_, ", "), languages_[0]);
    const std::string stem = file.substr(0, file.rfind('.' + ending));
    auto group = std::ranges::find_if(groups_, [&](const Group& other) {
      const auto same = other.files.find(language);
      return other.name == stem && !other.files.empty() &&
             (same == other.files.end() || same->second == file);
    });
    if (group == groups_.end()) group = groups_.insert(groups_.end(), {stem});
    group->files[language] = file;
  }

  std::vector<CorpusSource> sources_of(const Group& group) const {
    std::vector<CorpusSource> all;
    const auto add = [&](const Direction& direction, std::vector<std::string> files) {
      CorpusSource& source = all.emplace_back(like_);
      source.files = std::move(files);
      source.wanted = wanted(direction);
    };
    if (group.files.empty()) {
      std::vector<std::vector<std::string>> pairs;
      for (const Direction& direction : directions_) pairs.push_back(wanted(direction).languages);
      CorpusSource whole = like_;
      whole.files = {group.name};
      const std::vector<bool> has = has_languages(whole, pairs);
      for (size_t i = 0; i < directions_.size(); ++i)
        if (has[i]) add(directions_[i], {group.name});
    } else {
      for (const Direction& direction : directions_)
        if (group.files.contains(direction.source) && group.files.contains(direction.target))
          add(direction, {group.files.at(direction.source), group.files.at(direction.target)});
    }
    require(!all.empty(), key_, "{} does not have both languages of any direction ({})", group.name,
            fmt::join(like_.wanted.languages, ", "));
    return all;
  }

  std::string key_;
  const CorpusSource& like_;
  std::vector<Direction> directions_;
  std::vector<std::string> languages_;
  std::vector<Group> groups_;
};

}  // namespace

std::vector<CorpusSource> directed_sources(std::string_view key, const std::vector<std::string>& files,
                                           const CorpusSource& like,
                                           const std::vector<std::string>& weights) {
  Groups groups(key, like);
  for (const std::string& file : files) groups.add(file);
  return groups.sources(weights);
}

std::vector<std::string> some_files_of_stem(const std::string& stem,
                                            const std::vector<std::string>& languages) {
  std::vector<std::string> files;
  for (const std::string& language : languages)
    for (std::string& file : files_of_stem(stem, {language})) files.push_back(std::move(file));
  return files;
}

std::vector<double> read_weights(const std::vector<std::string>& weights, size_t corpora) {
  require(weights.empty() || weights.size() == corpora, "train_weights",
          "there are {} corpora, but {} weights", corpora, weights.size());
  std::vector<double> numbers(corpora, 1);
  for (size_t i = 0; i < weights.size(); ++i) {
    const std::string& text = weights[i];
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), numbers[i]);
    require(error == std::errc() && end == text.data() + text.size() && numbers[i] > 0, "train_weights",
            "'{}' is not a positive number", text);
  }
  return numbers;
}

}  // namespace attune
