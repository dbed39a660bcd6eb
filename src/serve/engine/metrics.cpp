#include "serve/engine/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

namespace attune::serve {
namespace {

using prometheus::Counter, prometheus::Gauge, prometheus::Histogram, prometheus::Registry;

const Histogram::BucketBoundaries kSeconds{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30};
const Histogram::BucketBoundaries kSentences{1, 2, 4, 8, 16, 32, 64, 128, 256};

Counter& counter(Registry& registry, const char* name, const char* help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry).Add({});
}

Gauge& gauge(Registry& registry, const char* name, const char* help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry).Add({});
}

Histogram& histogram(Registry& registry, const char* name, const char* help,
                     const Histogram::BucketBoundaries& buckets) {
  return prometheus::BuildHistogram().Name(name).Help(help).Register(registry).Add({}, buckets);
}

}  // namespace

struct Metrics::Families {
  Registry all;
  prometheus::Family<Counter>& requests = prometheus::BuildCounter()
                                              .Name("attune_requests_total")
                                              .Help("Requests by route and status")
                                              .Register(all);
  prometheus::Family<Histogram>& latency = prometheus::BuildHistogram()
                                               .Name("attune_request_seconds")
                                               .Help("Time from a whole request to its answer")
                                               .Register(all);
  Histogram& batch_sentences =
      histogram(all, "attune_batch_sentences", "Sentences that were translated together", kSentences);
  Histogram& batch_seconds = histogram(all, "attune_batch_seconds", "Time of a batch", kSeconds);
  Counter& source_tokens = counter(all, "attune_source_tokens_total", "Tokens that were read");
  Counter& target_tokens = counter(all, "attune_target_tokens_total", "Tokens that were written");
  Gauge& waiting_sentences = gauge(all, "attune_queue_sentences", "Sentences that wait");
  Gauge& waiting_tokens = gauge(all, "attune_queue_tokens", "Tokens of the sentences that wait");
  Counter& hits = counter(all, "attune_cache_hits_total", "Sentences that the cache knew");
  Counter& misses = counter(all, "attune_cache_misses_total", "Sentences that the cache did not know");
  Counter& dropped_lines =
      counter(all, "attune_log_dropped_lines_total", "Lines of the log that nobody took in time");
};

Metrics::Metrics() : families_(std::make_unique<Families>()) {}
Metrics::~Metrics() = default;

void Metrics::request(const std::string& route, int status, double seconds) {
  families_->requests.Add({{"route", route}, {"status", std::to_string(status)}}).Increment();
  families_->latency.Add({{"route", route}}, kSeconds).Observe(seconds);
}

void Metrics::batch(size_t sentences, int64_t source_tokens, int64_t target_tokens, double seconds) {
  families_->batch_sentences.Observe(static_cast<double>(sentences));
  families_->batch_seconds.Observe(seconds);
  families_->source_tokens.Increment(static_cast<double>(source_tokens));
  families_->target_tokens.Increment(static_cast<double>(target_tokens));
}

void Metrics::queue(size_t sentences, int64_t tokens) {
  families_->waiting_sentences.Set(static_cast<double>(sentences));
  families_->waiting_tokens.Set(static_cast<double>(tokens));
}

void Metrics::cache(size_t hits, size_t misses) {
  families_->hits.Increment(static_cast<double>(hits));
  families_->misses.Increment(static_cast<double>(misses));
}

void Metrics::dropped_line() { families_->dropped_lines.Increment(); }

std::string Metrics::text() const { return prometheus::TextSerializer().Serialize(families_->all.Collect()); }

}  // namespace attune::serve
