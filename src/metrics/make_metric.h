// Metrics by their names on the command line and in configurations.
#pragma once

#include <memory>

#include "metrics/bleu.h"
#include "metrics/chrf.h"
#include "metrics/ter.h"

namespace attune::metrics {

struct MetricOptions {
  BleuOptions bleu = {};
  ChrfOptions chrf = {};
  TerOptions ter = {};
};

// bleu, chrf, chrf++, ter, wer, cer, exact, aer: one metric; rouge: ROUGE-1, ROUGE-2 and ROUGE-L.
std::vector<std::unique_ptr<Metric>> make_metrics(std::string_view name, const MetricOptions& options = {});

std::vector<std::string> metric_names();

}  // namespace attune::metrics
