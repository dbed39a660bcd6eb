#include "train/validation.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "attune/autograd.h"
#include "config/rules.h"
#include "decode/classifier.h"
#include "decode/translator.h"
#include "metrics/make_metric.h"
#include "metrics/tokenize/tokenize.h"
#include "models/model_files.h"
#include "text/directions/directed_vocabulary.h"
#include "text/directions/direction.h"
#include "train/data/corpora.h"
#include "train/data/examples.h"

namespace attune {
namespace {

bool is_error(const std::string& metric) { return metric == "mse" || metric == "mae"; }

bool needs_outputs(const std::string& metric) {
  return metric != "loss" && metric != "perplexity" && metric != "accuracy" && !is_error(metric);
}

double of_sums(const std::string& metric, const Learner::Sums& sums) {
  const auto tokens = static_cast<double>(std::max<int64_t>(sums.tokens, 1));
  if (is_error(metric)) return (metric == "mse" ? sums.squared : sums.absolute) / tokens;
  if (metric == "accuracy") return 100 * static_cast<double>(sums.correct) / tokens;
  return metric == "perplexity" ? std::exp(sums.nll / tokens) : sums.nll / tokens;
}

// Texts in one string, each preceded by its length.
std::string packed(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += std::to_string(text.size()) + ' ' + text;
  return all;
}

std::vector<std::string> unpacked(const std::string& all) {
  std::vector<std::string> texts;
  for (size_t at = 0; at < all.size();) {
    const size_t space = all.find(' ', at), size = std::stoul(all.substr(at, space - at));
    texts.push_back(all.substr(space + 1, size));
    at = space + 1 + size;
  }
  return texts;
}

// What the files of each set are called, without folders and without the ending that tells the language; or
// the direction of each, with the files if there are several.
std::vector<std::string> names_of(const std::vector<Corpus>& sets, bool directed) {
  std::vector<std::string> short_names, long_names;
  for (const Corpus& set : sets) {
    const std::filesystem::path path = set.source(0).files[0]->path();
    const std::string direction = directed ? fmt::format("{}", fmt::join(set.languages(0), "-")) : "";
    short_names.push_back(directed ? direction : path.stem().string());
    long_names.push_back(directed ? fmt::format("{}:{}", direction, path.stem().string())
                                  : path.filename().string());
  }
  const auto distinct = [](std::vector<std::string> names) {
    std::ranges::sort(names);
    return std::ranges::adjacent_find(names) == names.end();
  };
  if (distinct(short_names)) return short_names;
  if (!distinct(long_names))
    for (size_t i = 0; i < sets.size(); ++i) long_names[i] += fmt::format("-{}", i + 1);
  return long_names;
}

}  // namespace

std::vector<std::string> Validation::other_lines() const {
  std::vector<std::string> lines;
  for (const Other& other : others) {
    std::string& line = lines.emplace_back(other.set);
    for (const auto& [metric, value] : other.values)
      line += fmt::format("{} {} {:.4g}", line.size() == other.set.size() ? ":" : ",", metric, value);
  }
  return lines;
}

std::vector<std::string> Validation::scores() const {
  std::vector<std::string> all;
  const auto add = [&](const std::string& of, const std::vector<Value>& scores) {
    for (const auto& [metric, value] : scores) all.push_back(fmt::format("{} {:.4g} {}", metric, value, of));
  };
  add(set, values);
  for (const Other& other : others) add(other.set, other.values);
  return all;
}

bool higher_is_better(const std::string& metric) {
  return needs_outputs(metric) ? metrics::make_metrics(metric).front()->higher_is_better()
                               : metric == "accuracy";
}

Validator::Validator(const TrainConfig& config, const ModelConfig& model, const Vocabularies& vocabularies,
                     Ranks& ranks)
    : config_(config),
      model_config_(model),
      vocabularies_(vocabularies),
      task_(model.task()),
      ranks_(ranks),
      longest_(model.longest()),
      longest_side_(longest_side(config, model)),
      metrics_(config.valid_metrics.empty() ? task_.default_metrics() : config.valid_metrics),
      directed_(!read_directions(config.languages).empty()) {
  config_.subword_sampling = 0;
  if (!config.pretrained_model.empty())
    assign(fields_of(search_), load_model_files(config.pretrained_model).decoding);
  search_.beam_size = config.valid_beam_size;
  search_.n_best = 1;
  search_.sampling = false;
  std::vector<Corpus> corpora = validation_corpora(config, task_);
  const std::vector<std::string> names = names_of(corpora, directed_);
  sets_.reserve(corpora.size());  // examples refer to their corpus
  for (size_t i = 0; i < corpora.size(); ++i) {
    ValidationSet& set = sets_.emplace_back(ValidationSet{names[i], std::move(corpora[i]), vocabularies});
    if (directed_) set.vocabularies = towards(vocabularies, set.corpus.languages(0).back());
    set.examples = training_examples(config_, model, set.corpus, vocabularies, nullptr);
    prepare_outputs(set);
  }
}

std::vector<const Corpus*> Validator::corpora() const {
  std::vector<const Corpus*> all;
  for (const ValidationSet& set : sets_) all.push_back(&set.corpus);
  return all;
}

// What metrics of outputs need.
void Validator::prepare_outputs(ValidationSet& set) {
  const bool tags = task_.labels_each_token();
  const bool writes = set.corpus.columns() == 2 && (task_.writes_text() || tags);
  for (const std::string& metric : metrics_)
    require((writes && (!tags || metric == "entity_f1")) || !needs_outputs(metric), "valid_metrics",
            "'{}' compares outputs with references, so it needs a model that writes text, and two columns",
            metric);
  for (const std::string& metric : metrics_)
    require(
        is_error(metric) ? task_.answers_with_numbers() : metric == "loss" || !task_.answers_with_numbers(),
        "valid_metrics", "'{}' is not for a model that {}; its metrics are {}", metric, task_.does(),
        fmt::join(task_.default_metrics(), ", "));
  for (int64_t line = 0; writes && line < set.corpus.lines(); ++line) {
    set.sources.push_back(set.corpus.column(line, 0));
    set.references.push_back(set.corpus.column(line, 1));
  }
  set.tokenize = config_.valid_tokenize;
  if (set.tokenize != "auto") return;
  set.tokenize = metrics::suitable_tokenizer(set.references);
  if (std::ranges::find(metrics_, "bleu") == metrics_.end()) return;
  choice_ += choice_.empty()
                 ? fmt::format("BLEU of validations: tokeniser {} (valid_tokenize: auto)", set.tokenize)
                 : fmt::format(", {} for {}", set.tokenize, set.name);
}

Learner::Sums Validator::forced(const Model& model, const ValidationSet& set) const {
  BatchReader reader(
      set.examples,
      {.mini_batch_words = config_.mini_batch_words, .max_length = longest_side_, .shuffle = false});
  Learner::Sums sums;
  for (int64_t number = 0; const auto examples = reader.next(); ++number) {
    if (number % ranks_.size() != ranks_.rank()) continue;
    Pass pass;
    const Loss result = model.loss(task_.batch(vocabularies_, *examples), 0, pass);
    double nll = 0;
    for (const float x : result.nll.span<float>()) nll += x;
    sums += {nll, nll, result.counted, result.correct, 0, result.squared, result.absolute};
  }
  double all[] = {sums.nll, static_cast<double>(sums.tokens), static_cast<double>(sums.correct), sums.squared,
                  sums.absolute};
  ranks_.sum(all);
  return {all[0], all[0], static_cast<int64_t>(all[1]), static_cast<int64_t>(all[2]), 0, all[3], all[4]};
}

std::vector<std::string> Validator::tagged(const Model& model, const ValidationSet& set) const {
  const Classifier classifier(std::make_shared<const TextModel>(model, model_config_, vocabularies_, true),
                              {.mini_batch_words = config_.mini_batch_words});
  std::vector<ClassifierLine> lines;
  for (const std::string& source : set.sources) lines.push_back(classifier.line({&source, 1}));
  std::vector<std::string> outputs;
  for (const auto& tags : classifier.classify(lines)) {
    std::string& text = outputs.emplace_back();
    for (const auto& labels : tags) text.append(text.empty() ? "" : " ").append(labels[0].name);
  }
  return outputs;
}

std::vector<std::string> Validator::written(const Model& model, const ValidationSet& set) const {
  const std::vector<std::string>& sources = set.sources;
  const Translator translator(std::make_shared<const TextModel>(model, model_config_, set.vocabularies, true),
                              {.search = search_});
  const auto ranks = static_cast<size_t>(ranks_.size());
  std::vector<std::string> texts;
  for (size_t i = static_cast<size_t>(ranks_.rank()); i < sources.size(); i += ranks) {
    const bool fits = longest_ == 0 || static_cast<int64_t>(translator.tokens(sources[i]).size()) <= longest_;
    texts.push_back(fits ? sources[i] : "");
  }
  const std::vector<std::string> own = translator.translate(texts);
  if (ranks_.alone()) return own;
  const auto parts = ranks_.gather(packed(own));
  std::vector<std::string> outputs(sources.size());
  for (size_t r = 0; r < ranks; ++r) {
    size_t line = r;
    for (std::string& text : unpacked(parts[r])) {
      outputs[line] = std::move(text);
      line += ranks;
    }
  }
  return outputs;
}

std::vector<Validation::Value> Validator::values(const Model& model, const ValidationSet& set,
                                                 std::vector<std::string>& outputs) const {
  const Learner::Sums sums = forced(model, set);
  const bool compared = std::ranges::any_of(metrics_, needs_outputs);
  const bool tags = task_.labels_each_token();
  if (!set.sources.empty() && (compared || (config_.valid_samples > 0 && !tags)))
    outputs = tags ? tagged(model, set) : written(model, set);
  const auto of_outputs = [&](const std::string& metric) {
    const auto made = metrics::make_metrics(metric, {.bleu = {.tokenize = set.tokenize}});
    return metrics::corpus_score(*made.front(), outputs, {set.references}).value;
  };
  std::vector<Validation::Value> all;
  for (const std::string& metric : metrics_)
    all.push_back({metric, needs_outputs(metric) ? of_outputs(metric) : of_sums(metric, sums)});
  return all;
}

Validation Validator::operator()(const Model& model) const {
  const NoGrad no_grad;
  Validation result;
  std::vector<std::string> outputs;
  const ValidationSet& first = sets_.front();
  result.values = values(model, first, outputs);
  const auto count =
      task_.writes_text() ? std::min<size_t>(static_cast<size_t>(config_.valid_samples), outputs.size()) : 0;
  for (size_t i = 0; i < count; ++i) {
    const size_t line = i * outputs.size() / count;
    result.samples.push_back({first.sources[line], first.references[line], outputs[line]});
  }
  const bool means = directed_ && sets_.size() > 1;
  result.set = means ? "mean" : first.name;
  if (means) result.others.push_back({first.name, result.values});
  for (size_t i = 1; i < sets_.size(); ++i)
    result.others.push_back({sets_[i].name, values(model, sets_[i], outputs)});
  for (size_t m = 0; means && m < metrics_.size(); ++m) {
    double sum = 0;
    for (const Validation::Other& other : result.others) sum += other.values[m].value;
    result.values[m].value = sum / static_cast<double>(sets_.size());
  }
  return result;
}

}  // namespace attune
