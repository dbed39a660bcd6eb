// What a language is called.
#pragma once

#include <string>

namespace attune::serve {

std::string english_name(const std::string& code);  // "German" for "de"

}  // namespace attune::serve
