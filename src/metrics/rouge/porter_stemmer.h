// Stems of English words by Porter's algorithm (1980), with the departures from it that NLTK's stemmer has by
// default, since rouge-score stems with that.
#pragma once

#include <string>
#include <string_view>

namespace attune::metrics {

// Of a word in lower case: "generalizations" gives "gener". One or two letters stay as they are.
std::string porter_stem(std::string_view word);

}  // namespace attune::metrics
