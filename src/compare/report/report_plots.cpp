#include "compare/report/report_plots.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>

#include "base/readable.h"
#include "compare/recipe.h"
#include "compare/spread.h"
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

// Its i-th point is the mean of the runs' i-th points; the runs themselves are behind it.
view::Series mean_of(const std::string& name, std::vector<view::Series> runs) {
  view::Series series{name, {}, {}};
  if (runs.empty()) return series;
  const size_t shortest = std::ranges::min(runs, {}, [](const auto& run) { return run.x.size(); }).x.size();
  for (size_t i = 0; i < shortest; ++i) {
    std::vector<double> x, y;
    for (const view::Series& run : runs) {
      x.push_back(run.x[i]);
      y.push_back(run.y[i]);
    }
    series.x.push_back(spread_of(x).mean);
    series.y.push_back(spread_of(y).mean);
  }
  if (runs.size() > 1) series.runs = std::move(runs);
  return series;
}

double longest_training(const Results& results) {
  double longest = 0;
  for (const ModelResult& model : results.models)
    for (const RunResult& run : model.runs) longest = std::max(longest, run.training.seconds);
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
    std::vector<view::Series> runs;
    for (const RunResult& run : model.runs) {
      const auto curve = std::ranges::find(run.training.curves, metric, &Curve::metric);
      if (curve == run.training.curves.end()) continue;
      runs.push_back({model.name, over_time ? curve->seconds : curve->updates, curve->values});
      if (over_time)
        for (double& x : runs.back().x) x /= unit.seconds;
    }
    plot.series.push_back(mean_of(model.name, std::move(runs)));
  }
  return plot;
}

}  // namespace

NamedPlot score_plot(const Results& results, size_t test) {
  const std::string &metric = results.metrics.at(0).name, &name = results.tests[test].name;
  return {"scores-" + file_name(name), bars(results, fmt::format("{} on {}", metric, name),
                                            fmt::format("{}, with 95% confidence intervals", metric),
                                            view::kPlotWidth, [&](const ModelResult& model) {
                                              const Score& score = model.tests[test].scores[0];
                                              return view::Bar{"", score.value, std::max(score.low, 0.0),
                                                               score.high,
                                                               fmt::format("{:.1f}", score.value)};
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
    for (const Curve& curve : model.first().training.curves)
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
                                    const double speed = model.first().training.tokens_per_second();
                                    return plain_bar(speed, grouped(static_cast<int64_t>(speed)));
                                  })},
          {"decoding-speed", bars(results, "Decoding speed", "sentences per second", view::kHalfWidth,
                                  [](const ModelResult& model) {
                                    const double speed = model.first().decodings[0].sentences_per_second();
                                    return plain_bar(speed, fmt::format("{:.0f}", speed));
                                  })},
          {"parameters", bars(results, "Parameters", "millions", view::kHalfWidth,
                              [](const ModelResult& model) {
                                const double millions =
                                    static_cast<double>(model.first().training.parameters) / 1e6;
                                return plain_bar(millions, fmt::format("{:.2f}", millions));
                              })},
          {"memory", bars(results, "Training memory", "largest resident set, MB", view::kHalfWidth,
                          [](const ModelResult& model) {
                            const double megabytes =
                                static_cast<double>(model.first().training.peak_memory) / kMega;
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
