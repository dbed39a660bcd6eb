#include "compare/report/report_plots.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>

#include "base/readable.h"
#include "compare/recipe.h"
#include "view/plot/plot.h"

namespace attune::compare {
namespace {

struct TimeUnit {
  const char* name;
  double seconds;
};

TimeUnit time_unit(double longest) {
  if (longest > 3 * 3600) return {"hours", 3600};
  return longest > 3 * 60 ? TimeUnit{"minutes", 60} : TimeUnit{"seconds", 1};
}

std::string title_of(const std::string& metric) {
  if (metric == "bleu") return "BLEU";
  if (metric == "chrf") return "chrF";
  if (metric == "exact") return "exact match (%)";
  if (metric == "accuracy") return "accuracy (%)";
  return metric;
}

std::string bars(const Results& results, const std::string& title, const std::string& label, double width,
                 const std::function<view::Bar(const ModelResult&)>& bar) {
  view::BarPlot plot{title, label, {}, width};
  for (const ModelResult& model : results.models) {
    plot.bars.push_back(bar(model));
    plot.bars.back().name = model.name;
  }
  return svg(plot);
}

view::Bar plain_bar(double value, std::string label) { return {"", value, value, value, std::move(label)}; }

double longest_training(const Results& results) {
  double longest = 0;
  for (const ModelResult& model : results.models) longest = std::max(longest, model.training.seconds);
  return longest;
}

view::LinePlot curve_plot(const Results& results, const std::string& metric, bool over_time) {
  const TimeUnit unit = time_unit(longest_training(results));
  view::LinePlot plot;
  plot.width = view::kHalfWidth;
  plot.title =
      fmt::format("Validation {} over {}", title_of(metric), over_time ? "training time" : "updates");
  plot.x_label = over_time ? fmt::format("{} of training", unit.name) : "updates";
  plot.y_label = title_of(metric);
  if (metric == "perplexity") {
    plot.y_scale = view::Scale::logarithmic;
    plot.y_label += " (logarithmic)";
  }
  for (const ModelResult& model : results.models) {
    view::Series series{model.name, {}, {}};
    const auto curve = std::ranges::find(model.training.curves, metric, &Curve::metric);
    if (curve != model.training.curves.end()) {
      series.x = over_time ? curve->seconds : curve->updates;
      series.y = curve->values;
      if (over_time)
        for (double& x : series.x) x /= unit.seconds;
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

}  // namespace

NamedPlot score_plot(const Results& results, size_t test) {
  const std::string &metric = results.metrics.at(0).name, &name = results.tests[test].name;
  return {"scores-" + file_name(name),
          bars(results, fmt::format("{} on {}", metric, name),
               fmt::format("{}, with 95% confidence intervals", metric), view::kPlotWidth,
               [&](const ModelResult& model) {
                 const Score& score = model.tests[test].scores[0];
                 return view::Bar{"", score.value, score.low, score.high, fmt::format("{:.1f}", score.value)};
               })};
}

NamedPlot length_plot(const Results& results, size_t test) {
  const std::string &metric = results.metrics.at(0).name, &name = results.tests[test].name;
  view::LinePlot plot;
  plot.title = fmt::format("{} by source length, {}", metric, name);
  plot.x_label = fmt::format("{}s of the source", results.length_unit);
  plot.y_label = metric;
  for (const LengthGroup& group : results.tests[test].groups) plot.x_names.push_back(group.label);
  for (const ModelResult& model : results.models) {
    view::Series series{model.name, {}, model.tests[test].by_length};
    for (size_t i = 0; i < series.y.size(); ++i) series.x.push_back(static_cast<double>(i));
    plot.series.push_back(std::move(series));
  }
  return {"lengths-" + file_name(name), svg(plot)};
}

std::vector<NamedPlot> curve_plots(const Results& results) {
  std::vector<std::string> metrics;
  for (const ModelResult& model : results.models)
    for (const Curve& curve : model.training.curves)
      if (std::ranges::find(metrics, curve.metric) == metrics.end()) metrics.push_back(curve.metric);
  std::vector<NamedPlot> plots;
  for (const std::string& metric : metrics)
    for (const bool over_time : {false, true})
      plots.push_back({fmt::format("{}-over-{}", metric, over_time ? "time" : "updates"),
                       svg(curve_plot(results, metric, over_time))});
  return plots;
}

std::vector<NamedPlot> cost_plots(const Results& results) {
  constexpr double kMega = 1024.0 * 1024.0;
  return {{"training-speed", bars(results, "Training speed", "target tokens per second", view::kHalfWidth,
                                  [](const ModelResult& model) {
                                    const double speed = model.training.tokens_per_second();
                                    return plain_bar(speed, grouped(static_cast<int64_t>(speed)));
                                  })},
          {"decoding-speed", bars(results, "Decoding speed", "sentences per second", view::kHalfWidth,
                                  [](const ModelResult& model) {
                                    const double speed = model.tests[0].decoding.sentences_per_second();
                                    return plain_bar(speed, fmt::format("{:.0f}", speed));
                                  })},
          {"parameters", bars(results, "Parameters", "millions", view::kHalfWidth,
                              [](const ModelResult& model) {
                                const double millions = static_cast<double>(model.training.parameters) / 1e6;
                                return plain_bar(millions, fmt::format("{:.2f}", millions));
                              })},
          {"memory", bars(results, "Training memory", "largest resident set, MB", view::kHalfWidth,
                          [](const ModelResult& model) {
                            const double megabytes = static_cast<double>(model.training.peak_memory) / kMega;
                            return plain_bar(megabytes, fmt::format("{:.0f}", megabytes));
                          })}};
}

std::vector<NamedPlot> all_plots(const Results& results) {
  std::vector<NamedPlot> all;
  for (size_t t = 0; t < results.tests.size(); ++t) {
    all.push_back(score_plot(results, t));
    all.push_back(length_plot(results, t));
  }
  for (auto& plots : {curve_plots(results), cost_plots(results)})
    all.insert(all.end(), plots.begin(), plots.end());
  return all;
}

}  // namespace attune::compare
