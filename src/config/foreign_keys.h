// What the options of other toolkits are called here.
#pragma once

#include <string>
#include <string_view>

namespace attune {

// ": here it is `after: 5e`", for the key or option of another toolkit; empty if it is not known. Dashes and
// underscores are the same.
std::string foreign_key_advice(std::string_view key);

}  // namespace attune
