// Forms as browsers send them: application/x-www-form-urlencoded.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::serve {

using FormFields = std::vector<std::pair<std::string, std::string>>;

// Nothing if a % is not followed by two hexadecimal digits.
std::optional<FormFields> parse_form(std::string_view text);

// The same for a part of a path, where a + is a +.
std::optional<std::string> percent_decoded(std::string_view text);

}  // namespace attune::serve
