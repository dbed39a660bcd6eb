// Forms as multipart/form-data (RFC 7578).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "serve/http/form.h"

namespace attune::serve {

// "multipart/form-data; boundary=x": its type in small letters, without parameters.
std::string media_type(std::string_view content_type);

// Fields in order; files are left out. Nothing if the type names no boundary or the body is not cut by it.
// Takes linear time.
std::optional<FormFields> parse_multipart(std::string_view content_type, std::string_view body);

}  // namespace attune::serve
