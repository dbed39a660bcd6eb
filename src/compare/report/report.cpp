#include "compare/report/report.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/readable.h"
#include "compare/report/chinese.h"
#include "compare/report/differences.h"
#include "compare/report/report_plots.h"
#include "compare/report/report_style.h"
#include "compare/report/tables.h"
#include "compare/report/training_table.h"
#include "view/plot/plot.h"
#include "view/svg.h"

namespace attune::compare {
namespace {

using view::escape_markup;

constexpr size_t kWideMap = 24;  // source tokens

std::string spans(const Both& text) {
  if (text.en == text.zh) return escape_markup(text.en);
  return fmt::format("<span lang=\"en\">{}</span><span lang=\"zh-CN\">{}</span>", escape_markup(text.en),
                     escape_markup(text.zh));
}

std::string html(const Table& table) {
  std::string text = "<div class=\"wide\" tabindex=\"0\"><table>\n<thead><tr>";
  const auto cell = [&](const char* tag, const Both& value, size_t column) {
    text += fmt::format("<{0}{1}>{2}</{0}>", tag, column < table.text_columns ? " class=\"t\"" : "",
                        spans(value));
  };
  for (size_t c = 0; c < table.head.size(); ++c) cell("th", {table.head[c], in_chinese(table.head[c])}, c);
  text += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    text += "<tr>";
    // Names of models stay; the numbers of sentences come last.
    const bool named = &row != &table.rows.back() || row[0] != "sentences";
    for (size_t c = 0; c < row.size(); ++c)
      cell("td", {row[c], c == 0 && named ? row[c] : in_chinese(row[c])}, c);
    text += "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

std::string grid(const std::vector<NamedPlot>& plots) {
  std::string text = "<div class=\"plots\" tabindex=\"0\">\n";
  for (const NamedPlot& plot : plots) text += in_both_languages(plot.svg);
  return text + "</div>\n";
}

std::string one(const NamedPlot& plot) {
  return "<div class=\"one\" tabindex=\"0\">\n" + in_both_languages(plot.svg) + "</div>\n";
}

class Report {
 public:
  explicit Report(const Results& results) : results_(results) {}

  std::string text() {
    scores();
    lengths();
    curves();
    section("training", {"Training and the compared models", "训练与所比较的模型"},
            unequal_training(results_), html(training_table(results_)));
    section("cost", {"Speed and size", "速度与大小"}, {},
            grid(cost_plots(results_)) + html(cost_table(results_)));
    alignments();
    attention();
    translations();
    models();
    measured();
    return page();
  }

 private:
  // The description of a section may be empty.
  void section(const std::string& id, const Both& title, const Both& about, const std::string& content) {
    links_ += fmt::format("<a href=\"#{}\">{}</a>\n", id, spans(title));
    body_ += fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n", id, spans(title));
    if (!about.en.empty()) body_ += fmt::format("<p>{}</p>\n", spans(about));
    body_ += content + "</section>\n";
  }

  void scores() {
    std::string content;
    for (size_t t = 0; t < results_.tests.size(); ++t) {
      if (results_.tests.size() > 1)
        content += fmt::format("<h3>{}</h3>\n", escape_markup(results_.tests[t].name));
      content += one(score_plot(results_, t)) + html(score_table(results_, t));
    }
    const std::string count = grouped(results_.tests.at(0).sentences);
    section(
        "scores", {"Quality", "质量"},
        {fmt::format("{} sentences that no model was trained on. ± is half the width of the 95% confidence "
                     "interval; p is how likely such a difference from the model above is by chance, and * "
                     "marks p ≤ 0.05. {}",
                     count, unequal_training(results_).en),
         fmt::format(
             "{} 个没有模型见过的句子。± 是 95% 置信区间宽度的一半；p 是与上一个模型的差异纯属偶然的可能性，"
             "* 表示 p ≤ 0.05。{}",
             count, unequal_training(results_).zh)},
        content);
  }

  void lengths() {
    std::string content;
    for (size_t t = 0; t < results_.tests.size(); ++t)
      content += one(length_plot(results_, t)) + html(length_table(results_, t));
    section(
        "lengths", {"Quality by source length", "按源句长度看质量"},
        {"The longer the sentence, the more a fixed vector has to hold; attention can look at each word when "
         "needed.",
         "句子越长，一个固定向量要装的东西越多；注意力则可以在需要时去看每个词。"},
        content);
  }

  void curves() {
    const std::vector<NamedPlot> plots = curve_plots(results_);
    if (!plots.empty())
      section("curves", {"Learning curves", "学习曲线"},
              {"Scores on the validation set during training.", "训练过程中验证集上的分数。"}, grid(plots));
  }

  void alignments() {
    std::string content;
    for (size_t g = 0; g < results_.golds.size(); ++g)
      if (const Table table = alignment_table(results_, g); !table.rows.empty())
        content += fmt::format("<h3>{}</h3>\n{}", escape_markup(results_.golds[g]), html(table));
    if (!content.empty())
      section(
          "alignments", {"Attention as alignment", "注意力作为词对齐"},
          {"Alignment error rate in percent; lower is better. The target is given, and each of its words is "
           "linked to the source word that it attends to most. The best head is the best on these sentences.",
           "对齐错误率（%"
           "），越低越好。译文是给定的，每个词连到它最关注的源词。最好的头是在这些句子上最好的。"},
          content);
  }

  // Why models have no map of a sentence, and what they wrote; nothing if there are none.
  static std::string without_maps(const Both& why, const std::string& models) {
    if (models.empty()) return {};
    return fmt::format("<div class=\"none\">{}<ul>\n{}</ul></div>\n", spans(why), models);
  }

  // Maps of one sentence, after lists of the models that have none.
  std::string maps(size_t sentence) const {
    std::string maps, blind, silent;
    size_t columns = 0;
    for (const ModelResult& model : results_.models) {
      const Look& look = model.first().looks[sentence];
      if (look.weights.empty()) {
        (look.targets.empty() ? silent : blind) +=
            fmt::format("<li><b>{}</b> {}</li>\n", escape_markup(model.name), escape_markup(look.output));
        continue;
      }
      columns = std::max(columns, look.sources.size());
      maps += fmt::format("<figure tabindex=\"0\">\n<figcaption><b>{}</b>{}</figcaption>\n{}</figure>\n",
                          escape_markup(model.name), escape_markup(look.output),
                          view::svg(view::AttentionMatrix{look.sources, look.targets, look.weights}));
    }
    return fmt::format(
        "{}{}<div class=\"maps{}\">\n{}</div>\n",
        without_maps({"Without attention, the decoder sees one vector of the whole source:",
                      "没有注意力时，解码器只看到整个源句的一个向量："},
                     blind),
        without_maps({"These models wrote nothing here:", "以下模型在这里什么也没写："}, silent),
        columns > kWideMap ? " large" : "", maps);
  }

  void attention() {
    std::string content;
    for (size_t i = 0; i < results_.looked_at.size(); ++i)
      content += fmt::format("<h3>{}</h3>\n{}", escape_markup(results_.looked_at[i]), maps(i));
    section(
        "attention", {"Where the models looked", "模型看了哪里"},
        {"Each row is a token that was written, each column a token that was read; the lighter the cell, the "
         "more attention. For Transformers, it is the mean of the heads of the second-to-last layer.",
         "每行是写出的词元，每列是读入的词元；格子越亮，注意力越多。Transformer 取倒数第二层各头的平均。"},
        content);
  }

  static std::string marked(const std::string& output, const std::string& reference) {
    std::string text;
    for (const Stretch& stretch : differences(output, reference)) {
      const size_t end = stretch.text.find_last_not_of(' ') + 1;
      const std::string bare = escape_markup(stretch.text.substr(0, end)), blanks = stretch.text.substr(end);
      text += (stretch.same ? bare : "<mark>" + bare + "</mark>") + blanks;
    }
    if (output == reference) text += " <span class=\"right\">✓</span>";
    return text;
  }

  void translations() {
    if (results_.samples.empty()) return;
    std::string content;
    for (const Sample& sample : results_.samples) {
      content += fmt::format(
          "<h3 class=\"said\">{}</h3>\n<table class=\"pairs\">\n<tr><td>{}</td><td "
          "class=\"reference\">{}</td></tr>\n",
          escape_markup(sample.source), spans({"reference", "参考译文"}), escape_markup(sample.reference));
      for (const ModelResult& model : results_.models)
        content += fmt::format(
            "<tr><td>{}</td><td>{}</td></tr>\n", escape_markup(model.name),
            marked(model.first().decodings[0].outputs[static_cast<size_t>(sample.line)], sample.reference));
      content += "</table>\n";
    }
    section("translations", {"Translations side by side", "译文对照"},
            {fmt::format(
                 "Sentences of {}, from the shortest to the longest. Words that are not in the reference are "
                 "marked; ✓ means identical to the reference.",
                 results_.tests[0].name),
             fmt::format("{} 的句子，从短到长。参考译文中没有的词已标出；✓ 表示与参考译文相同。",
                         results_.tests[0].name)},
            content);
  }

  void models() {
    std::string content = "<ul>\n";
    for (const ModelResult& model : results_.models)
      content += fmt::format("<li><b>{}</b>. {} <code>{}</code></li>\n", escape_markup(model.name),
                             escape_markup(model.about), escape_markup(model.changes));
    section("models", {"The models", "各个模型"}, {}, content + "</ul>\n");
  }

  void measured() {
    std::string content = "<ul>\n";
    for (const Both& remark : remarks(results_)) content += fmt::format("<li>{}</li>\n", spans(remark));
    section("measured", {"How it was measured", "测量方法"}, {}, content + "</ul>\n");
  }

  // "3 models, 20min each, 2 seeds. 2026-11-18, attune 0.2.0, .."
  Both summary() const {
    const size_t models = results_.models.size(), seeds = results_.models.at(0).runs.size();
    return {fmt::format("{} models, {} each{}. {}.", models, results_.budget,
                        seeds > 1 ? fmt::format(", {} seeds", seeds) : "", results_.made),
            fmt::format("{} 个模型，每个 {}{}。{}。", models, results_.budget,
                        seeds > 1 ? fmt::format("，{} 个种子", seeds) : "", in_chinese(results_.made))};
  }

  std::string page() const {
    return fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<title>{0}</title>\n<style>{1}{2}</style>\n</head>\n<body>\n<header>\n<h1>{0}</h1>\n{3}"
        "<p class=\"quiet\"><small>{4}</small></p>\n<label class=\"language\"><input type=\"checkbox\" "
        "id=\"zh\"> 中文</label>\n<nav>\n{5}</nav>\n"
        "</header>\n{6}</body>\n</html>\n",
        escape_markup(results_.title), kReportStyle, view::plot_style(),
        results_.text.empty() ? "" : fmt::format("<p>{}</p>\n", escape_markup(results_.text)),
        spans(summary()), links_, body_);
  }

  const Results& results_;
  std::string links_, body_;
};

}  // namespace

std::string html(const Results& results) { return Report(results).text(); }

}  // namespace attune::compare
