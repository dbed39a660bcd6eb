#include "compare/report/tables.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/readable.h"
#include "compare/report/chinese.h"
#include "compare/report/training_table.h"
#include "view/width.h"

namespace attune::compare {
namespace {

constexpr double kSure = 0.05;

std::string escaped(const std::string& cell) {
  std::string text;
  for (const char c : cell) text += c == '|' ? "\\|" : std::string(1, c);
  return text;
}

// "+1.2 (p = 0.012) *"
std::string difference(const Score& score, const Score& before) {
  const double change = score.value - before.value;
  const std::string p = score.p_value < 0.001 ? "< 0.001" : fmt::format("= {:.3f}", score.p_value);
  return fmt::format("{}{:.1f} (p {}){}", change < 0 ? "−" : "+", std::abs(change), p,
                     score.p_value <= kSure ? " *" : "");
}

// "20.1 ± 0.8"; with several runs "20.1 ± 0.8 (sd 0.3)".
std::string score_text(const Score& score, const ModelResult& model) {
  return fmt::format("{:.1f} ± {:.1f}{}", score.value, (score.high - score.low) / 2,
                     model.runs.size() > 1 ? fmt::format(" (sd {:.1f})", score.deviation) : "");
}

// Empty for one run each.
Both about_seeds(const Results& results) {
  const size_t runs = results.models.at(0).runs.size();
  if (runs == 1) return {};
  return {
      fmt::format("Each model was trained {0} times, with different seeds. Scores are means over these runs, "
                  "and sd is their standard deviation. Intervals and p values come from samples of the "
                  "sentences and of the runs (Multi-Bootstrap, Sellam et al. 2022), so they hold for other "
                  "seeds too, as far as {0} runs can tell. Speed, memory, attention, alignments and "
                  "translations are those of the first seed.",
                  runs),
      fmt::format("每个模型用不同的种子训练了 {0} 次。分数是这些训练的平均，sd 是标准差。置信区间和 p "
                  "值同时对句子和训练抽样（Multi-Bootstrap，Sellam 等 2022），所以在 {0} "
                  "次训练所能说明的范围内也适用于其他种子。速度、内存、注意力、词对齐和译文取自第一个种子。",
                  runs)};
}

// Pads columns in the file to the width of their widest cell.
std::string markdown(const Table& table) {
  std::vector<size_t> widths;
  for (const std::string& cell : table.head) widths.push_back(view::display_width(escaped(cell)));
  for (const auto& row : table.rows)
    for (size_t c = 0; c < row.size(); ++c)
      widths[c] = std::max(widths[c], view::display_width(escaped(row[c])));
  std::string text;
  const auto line = [&](const std::vector<std::string>& cells) {
    for (size_t c = 0; c < cells.size(); ++c)
      text += "| " +
              (c < table.text_columns ? view::pad_right(escaped(cells[c]), widths[c])
                                      : view::pad_left(escaped(cells[c]), widths[c])) +
              " ";
    text += "|\n";
  };
  line(table.head);
  for (size_t c = 0; c < widths.size(); ++c) {
    widths[c] = std::max<size_t>(widths[c], 3);
    text += "| " + std::string(widths[c] - 1, '-') + (c < table.text_columns ? "-" : ":") + " ";
  }
  text += "|\n";
  for (const auto& row : table.rows) line(row);
  return text;
}

}  // namespace

Table score_table(const Results& results, size_t test) {
  Table table;
  table.head = {"model"};
  for (const MetricInfo& metric : results.metrics)
    table.head.push_back(metric.name + (metric.higher_is_better ? "" : " (lower is better)"));
  table.head.push_back(fmt::format("{} against the model above", results.metrics.at(0).name));
  const bool unequal = !unequal_training(results).en.empty();
  const bool several = results.models.at(0).runs.size() > 1;
  if (several) table.head.emplace_back("runs");
  if (unequal) table.head.emplace_back("trained for");
  const std::vector<ModelResult>& models = results.models;
  for (size_t m = 0; m < models.size(); ++m) {
    std::vector<std::string> row{models[m].name};
    for (const Score& score : models[m].tests.at(test).scores) row.push_back(score_text(score, models[m]));
    const Score& first = models[m].tests[test].scores.at(0);
    row.push_back(m == 0 ? "" : difference(first, models[m - 1].tests[test].scores[0]));
    if (several) row.push_back(std::to_string(models[m].runs.size()));
    if (unequal) row.push_back(trained_for(models[m]));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table length_table(const Results& results, size_t test) {
  Table table;
  table.head = {fmt::format("{} by {}s of the source", results.metrics.at(0).name, results.length_unit)};
  std::vector<std::string> counts{"sentences"};
  for (const LengthGroup& group : results.tests.at(test).groups) {
    table.head.push_back(group.label);
    counts.push_back(grouped(group.sentences));
  }
  for (const ModelResult& model : results.models) {
    std::vector<std::string> row{model.name};
    for (const double value : model.tests[test].by_length) row.push_back(fmt::format("{:.1f}", value));
    table.rows.push_back(std::move(row));
  }
  table.rows.push_back(std::move(counts));
  return table;
}

Table cost_table(const Results& results) {
  Table table;
  table.head = {"model",           "parameters",          "tokens/s in training",
                "training memory", "sentences/s decoded", "tokens/s decoded",
                "decoding memory"};
  for (const ModelResult& model : results.models) {
    const Training& training = model.first().training;
    const Decoding& decoding = model.first().decodings.at(0);
    table.rows.push_back(
        {model.name, grouped(training.parameters),
         grouped(static_cast<int64_t>(training.tokens_per_second())), memory_size(training.peak_memory),
         fmt::format("{:.1f}", decoding.sentences_per_second()),
         grouped(static_cast<int64_t>(decoding.tokens_per_second())), memory_size(decoding.peak_memory)});
  }
  return table;
}

Table alignment_table(const Results& results, size_t gold) {
  Table table;
  table.head = {"model", "read from", "AER", "precision", "recall"};
  table.text_columns = 2;
  for (const ModelResult& model : results.models) {
    for (const Alignment& one : model.first().alignments.at(gold))
      table.rows.push_back({model.name, one.way, fmt::format("{:.1f}", one.aer),
                            fmt::format("{:.1f}", one.precision), fmt::format("{:.1f}", one.recall)});
  }
  return table;
}

std::vector<Both> remarks(const Results& results) {
  std::vector<Both> all{
      {fmt::format("Every model had a budget of {}. Of each run, the model that was best by its first "
                   "validation metric is compared, and the validation at the end counts too; without "
                   "validations it is the last model. {}.",
                   results.budget, results.made),
       fmt::format("每个模型的预算是 {}。每次训练取第一个验证指标最好的模型来比较，训练结束时的验证也算在内；"
                   "没有验证就取最后的模型。{}。",
                   results.budget, in_chinese(results.made))},
      {"± is half the width of the 95% confidence interval (bootstrap, 1,000 samples). The p value is from a "
       "paired bootstrap of the difference from the model above; * marks differences with p ≤ 0.05.",
       "± 是 95% 置信区间宽度的一半（自助法，1,000 次抽样）。p 值来自与上一个模型之差的配对自助法；* 表示 p "
       "≤ "
       "0.05 的差异。"}};
  if (Both seeds = about_seeds(results); !seeds.en.empty()) all.push_back(std::move(seeds));
  for (const MetricInfo& metric : results.metrics) {
    const std::string name = fmt::format("{}: {}.", metric.name, metric.signature);
    all.push_back({name, name});
  }
  const bool words = results.length_unit == "word", suits = results.length_unit_suits;
  all.push_back({fmt::format("Source lengths are counted in {}s{}.", results.length_unit,
                             !suits  ? ""
                             : words ? ", because the sources have spaces between words"
                                     : ", because the sources have no spaces between words"),
                 fmt::format("源句长度按{}计算{}。", words ? "词" : "字",
                             !suits  ? ""
                             : words ? "，因为源句的词之间有空格"
                                     : "，因为源句的词之间没有空格")});
  all.push_back(
      {"Tokens are target tokens. Memory is the largest resident set of a process that does nothing else. "
       "Training time includes validations and checkpoints.",
       "词元指目标词元。内存是只做这一件事的进程的最大常驻内存。训练时间包括验证和保存检查点。"});
  if (!results.golds.empty())
    all.push_back(
        {"Alignments are read with the target given: each word is linked to the source word that it attends "
         "to most. The best head is chosen on the same sentences.",
         "词对齐是在译文给定时读出的：每个词连到它最关注的源词。最好的头是在同样的句子上选出的。"});
  return all;
}

std::string markdown(const Results& results) {
  std::string text = fmt::format("# {}\n\n", results.title);
  if (!results.text.empty()) text += results.text + "\n\n";
  if (const std::string warning = unequal_training(results).en; !warning.empty()) text += warning + "\n\n";
  for (size_t t = 0; t < results.tests.size(); ++t)
    text += fmt::format("## {}: {} sentences\n\n{}\n{}\n", results.tests[t].name,
                        grouped(results.tests[t].sentences), markdown(score_table(results, t)),
                        markdown(length_table(results, t)));
  text += fmt::format("## Training\n\n{}\n", markdown(training_table(results)));
  text += fmt::format("## Cost\n\n{}\n", markdown(cost_table(results)));
  for (size_t g = 0; g < results.golds.size(); ++g)
    if (const Table table = alignment_table(results, g); !table.rows.empty())
      text += fmt::format("## Alignment error: {}\n\n{}\n", results.golds[g], markdown(table));
  text += "## How it was measured\n\n";
  for (const Both& remark : remarks(results)) text += fmt::format("- {}\n", remark.en);
  return text;
}

}  // namespace attune::compare
