// What the options of other toolkits are called here.
#pragma once

#include <string>
#include <string_view>

namespace attune {

// ": write `after: 5e` for five epochs" for a key of another toolkit, or with `--after 5e` for an option that
// begins with a dash; empty if it is not known. Dashes and underscores are the same.
std::string foreign_key_advice(std::string_view key);

}  // namespace attune
