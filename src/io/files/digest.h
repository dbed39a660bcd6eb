// Identifies the content of a file or a text: "1801236 bytes, 1f2e3d4c".
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace attune {

std::string text_digest(std::string_view text);
std::string file_digest(const std::filesystem::path& path);

}  // namespace attune
