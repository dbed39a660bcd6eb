#include "compare/report/chinese.h"

#include <algorithm>
#include <array>
#include <optional>

namespace attune::compare {
namespace {

// With * for what stays, or is itself one of these.
struct Phrase {
  std::string_view en, zh;
};

constexpr std::array kPhrases{
    // heads of tables
    Phrase{"model", "模型"},
    Phrase{"* (lower is better)", "*（越低越好）"},
    Phrase{"* against the model above", "*：与上一个模型相比"},
    Phrase{"runs", "训练次数"},
    Phrase{"trained for", "训练量"},
    Phrase{"sentences", "句数"},
    Phrase{"* by words of the source", "*（按源句词数）"},
    Phrase{"* by characters of the source", "*（按源句字数）"},
    Phrase{"updates", "更新次数"},
    Phrase{"target tokens", "目标词元"},
    Phrase{"training time", "训练时间"},
    Phrase{"ended by", "结束原因"},
    Phrase{"compared model", "所比较的模型"},
    Phrase{"epochs until it", "到它为止的轮数"},
    Phrase{"chosen as", "选取依据"},
    Phrase{"parameters", "参数"},
    Phrase{"tokens/s in training", "训练时词元/秒"},
    Phrase{"training memory", "训练内存"},
    Phrase{"sentences/s decoded", "解码句/秒"},
    Phrase{"tokens/s decoded", "解码词元/秒"},
    Phrase{"decoding memory", "解码内存"},
    Phrase{"read from", "读自"},
    Phrase{"precision", "准确率"},
    Phrase{"recall", "召回率"},
    // metrics
    Phrase{"Exact match %", "完全正确 %"},
    Phrase{"exact match (%)", "完全正确（%）"},
    Phrase{"exact", "完全正确"},
    Phrase{"accuracy (%)", "正确率（%）"},
    Phrase{"perplexity", "困惑度"},
    // titles and labels of plots
    Phrase{"*, with 95% confidence intervals", "*，带 95% 置信区间"},
    Phrase{"* by source length, *", "按源句长度的 *，*"},
    Phrase{"Validation * over training time", "验证集 *，按训练时间"},
    Phrase{"Validation * over updates", "验证集 *，按更新次数"},
    Phrase{"hours of training", "训练小时数"},
    Phrase{"minutes of training", "训练分钟数"},
    Phrase{"seconds of training", "训练秒数"},
    Phrase{"words of the source", "源句词数"},
    Phrase{"characters of the source", "源句字数"},
    Phrase{"* (logarithmic)", "*（对数）"},
    Phrase{"Training speed", "训练速度"},
    Phrase{"target tokens per second", "每秒目标词元数"},
    Phrase{"Decoding speed", "解码速度"},
    Phrase{"sentences per second", "每秒句数"},
    Phrase{"Parameters", "参数量"},
    Phrase{"millions", "百万"},
    Phrase{"Training memory", "训练内存"},
    Phrase{"largest resident set, MB", "最大常驻内存，MB"},
    // what stands in tables
    Phrase{"budget", "预算用完"},
    Phrase{"update *", "第 * 次更新"},
    Phrase{"* updates (stopped early)", "* 次更新（提前停止）"},
    Phrase{"* updates", "* 次更新"},
    Phrase{"last", "最后的模型"},
    Phrase{"attention", "注意力"},
    Phrase{"best head: layer *, head *", "最好的头：第 * 层第 * 个"},
    Phrase{"mean of the heads of layer *", "第 * 层各头的平均"},
    Phrase{"best *", "* 最好"},
    Phrase{"* threads of *", "* 线程（*）"},
    Phrase{"* thread of *", "* 线程（*）"},
    Phrase{"* on *", "*，*"},
};

// What stands for the stars, if the text has the form of the pattern.
std::optional<std::array<std::string_view, 2>> matched(std::string_view text, std::string_view pattern) {
  std::array<std::string_view, 2> stars;
  const size_t first = pattern.find('*');
  if (first == std::string_view::npos) return text == pattern ? std::optional(stars) : std::nullopt;
  if (!text.starts_with(pattern.substr(0, first))) return {};
  text.remove_prefix(first);
  pattern.remove_prefix(first + 1);
  const size_t second = pattern.find('*');
  if (second == std::string_view::npos) {
    if (!text.ends_with(pattern) || text.size() == pattern.size()) return {};
    stars[0] = text.substr(0, text.size() - pattern.size());
    return stars;
  }
  const std::string_view between = pattern.substr(0, second);
  const size_t at = text.find(between);
  if (at == std::string_view::npos || at == 0) return {};
  stars = {text.substr(0, at), text.substr(at + between.size())};
  return stars;
}

}  // namespace

std::string in_chinese(std::string_view text) {
  for (const auto& [en, zh] : kPhrases) {
    const auto stars = matched(text, en);
    if (!stars) continue;
    std::string result;
    size_t star = 0;
    for (const char c : zh)
      if (c == '*')
        result += in_chinese((*stars)[star++]);
      else
        result += c;
    return result;
  }
  return std::string(text);
}

std::string in_both_languages(std::string_view svg) {
  constexpr std::string_view begin = "<text", end = "</text>";
  std::string result;
  for (size_t at = 0; at < svg.size();) {
    const size_t text = std::min(svg.find(begin, at), svg.size());
    result += svg.substr(at, text - at);
    if (text == svg.size()) break;
    const size_t close = svg.find('>', text), after = svg.find(end, close);
    const std::string_view attributes = svg.substr(text + begin.size(), close - text - begin.size()),
                           words = svg.substr(close + 1, after - close - 1);
    const bool name = attributes.find("class=\"name\"") != std::string_view::npos;  // of a model
    const std::string zh = name ? std::string(words) : in_chinese(words);
    const auto element = [&](std::string_view language, std::string_view content) {
      result.append(begin).append(language).append(attributes).append(">").append(content).append(end);
    };
    if (zh == words) {
      element("", words);
    } else {
      element(" lang=\"en\"", words);
      element(" lang=\"zh-CN\"", zh);
    }
    at = after + end.size();
  }
  return result;
}

}  // namespace attune::compare
