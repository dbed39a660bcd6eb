// Metrics by their names on the command line and in configurations.
#pragma once

#include <memory>

#include "metrics/bleu.h"
#include "metrics/chrf.h"
#include "metrics/rouge/rouge.h"
#include "metrics/ter.h"

namespace attune::metrics {

struct MetricOptions {
  BleuOptions bleu = {};
  ChrfOptions chrf = {};
  TerOptions ter = {};
  RougeOptions rouge = {};
};

// One metric for each name, but rouge stands for rouge1, rouge2 and rougeL.
std::vector<std::unique_ptr<Metric>> make_metrics(std::string_view name, const MetricOptions& options = {});

std::vector<std::string> metric_names();

}  // namespace attune::metrics
