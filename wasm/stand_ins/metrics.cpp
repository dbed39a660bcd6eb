// Nobody monitors a page.
#include "serve/engine/metrics.h"

namespace attune::serve {

struct Metrics::Families {};

Metrics::Metrics() = default;
Metrics::~Metrics() = default;
void Metrics::request(const std::string&, int, double) {}
void Metrics::batch(size_t, int64_t, int64_t, double) {}
void Metrics::queue(size_t, int64_t) {}
void Metrics::cache(size_t, size_t) {}
void Metrics::dropped_line() {}
std::string Metrics::text() const { return ""; }

}  // namespace attune::serve
