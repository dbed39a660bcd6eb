// All settings of `attune train`, except those of the model itself.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "config/entries.h"
#include "models/model_config.h"
#include "ops/loss/alignment_loss.h"
#include "ops/product/engine.h"
#include "text/corpus/corpus_source.h"
#include "text/vocabulary/vocabulary_trainer.h"
#include "train/period.h"
#include "train/schedule.h"
#include "vectors/vector_reading.h"

namespace attune {

// What a language model's text is divided into: lines, paragraphs, or blocks of continuous text.
enum class TextReading : uint8_t { line, paragraph, stream };
std::span<const char* const> enum_names(TextReading);

// How the share of sampled words grows with the batches: at once, or as Bengio et al. 2015 let it.
enum class SamplingGrowth : uint8_t { none, linear, exponential, sigmoid };
std::span<const char* const> enum_names(SamplingGrowth);

enum class Optimizer : uint8_t { adam, adamw };
std::span<const char* const> enum_names(Optimizer);
std::span<const char* const> enum_names(AlignmentCost);

std::vector<std::string> validation_metric_names();  // what valid_metrics takes

struct RunPeriods {
  Period after, validation, saving, display;
};

struct TrainConfig : VectorReading {
  std::string model, pretrained_model;
  std::vector<std::string> freeze, lora_places;
  int64_t lora_rank = 0;
  double lora_alpha = 0;
  std::string size = "auto", time;

  std::vector<std::string> train_sets, train_weights, valid_sets;
  std::vector<std::string> languages, columns, source{"text"};
  bool tsv = false, replace_invalid_utf8 = false, text_pairs = false;
  TextReading text_unit = TextReading::line;
  BadLines bad_lines = BadLines::stop;
  int64_t max_length = 256, mini_batch_words = 3000, mini_batch = 0, shuffle_window = 20'000;

  std::vector<std::string> vocabs;
  bool joint_vocab = true;
  VocabularyKind vocab_kind = VocabularyKind::unigram;
  int64_t vocab_size = 8000;
  std::vector<std::string> vocab_symbols;

  Optimizer optimizer = Optimizer::adam;
  double learning_rate = 1e-3;
  ScheduleKind lr_schedule = ScheduleKind::inverse_sqrt;
  std::string lr_warmup = "1000u", lr_end;
  double lr_factor = 0.5;
  int64_t lr_patience = 3;
  double adam_beta1 = 0.9, adam_beta2 = 0.98, adam_epsilon = 1e-9, weight_decay = 0.01;
  double clip_norm = 1, label_smoothing = 0.1, exponential_smoothing = 0;
  int64_t optimizer_delay = 1, average_last = 0;
  bool shard_optimizer = false;
  double l2 = 0;
  double dropout_src = 0, dropout_trg = 0, scheduled_sampling = 0, subword_sampling = 0;
  SamplingGrowth sampling_growth = SamplingGrowth::none;
  int64_t sampling_batches = 5000;
  double consistency = 0, teacher_weight = 0.5;
  std::string teacher;
  std::string guided_alignment;
  AlignmentCost guided_alignment_cost = AlignmentCost::ce;
  double guided_alignment_weight = 0.1;

  std::string after, valid_freq = "1e", save_freq = "5min", disp_freq = "100u";
  std::vector<std::string> valid_metrics;
  int64_t early_stopping = 10, valid_beam_size = 1, valid_samples = 3;
  std::string valid_tokenize = "auto";
  std::string attend_sentence;
  int64_t keep_checkpoints = 2;
  bool tensorboard = true;

  PrecisionChoice precision = PrecisionChoice::f32;
  int64_t seed = 1, cpu_threads = 0;

  static void fields(FieldsOf<TrainConfig> f);
  RunPeriods periods() const;
  // One source, of words or of numbers; otherwise there are several.
  bool reads_words() const { return source.size() == 1 && source[0] == "text"; }
  bool reads_vectors() const { return source.size() == 1 && source[0] == "vectors"; }
  void validate() const;  // throws a UsageError that names the key
};

// A configuration file, with the changes made on the command line.
struct RunConfig {
  TrainConfig train;
  std::unique_ptr<ModelConfig> model;
  std::set<std::string, std::less<>> given = {};  // keys whose values are not the program's choice

  // Whether a Plan (train/plan/plan.h) is to choose the size of the model and what goes with it; or, of a
  // pretrained model, how it is adapted.
  bool leaves_size_open() const;
  bool adapts() const { return !train.pretrained_model.empty(); }
  bool leaves_open() const { return adapts() || leaves_size_open(); }
  // Sets what was left open.
  void complete(const Entries& entries);

  Schedule schedule() const;
  Entries entries() const;  // all of them, as --dump-config prints them and config.yml keeps them
};

// `changes` override `file`. Model and vocabulary are those of a pretrained model, if one is named; keys that
// say otherwise are a UsageError.
RunConfig read_run_config(const Entries& file, const Entries& changes);

// The keys that may change between a stop and a resume; and among them those that change how training
// proceeds, which a user may try when a run is stuck.
bool may_change(std::string_view key);
bool steers(std::string_view key);

}  // namespace attune
