#include "demo/print.h"

#include <fmt/core.h>
#include <unistd.h>

#include <filesystem>

#include "view/terminal.h"

namespace attune::demo {
namespace {

constexpr const char *kBold = "1", *kGreen = "32", *kRed = "31";

view::Colours colours() {
  static const view::Colours found = view::terminal_colours(STDOUT_FILENO);
  return found;
}

std::string styled(const std::string& text, const char* style) {
  return colours() == view::Colours::none ? text : fmt::format("\033[{}m{}\033[0m", style, text);
}

}  // namespace

constexpr size_t kMargin = 4;

void heading(const std::string& text) { fmt::print("\n{}\n\n", styled(text, kBold)); }

std::string mark(bool right) { return right ? styled("✓", kGreen) : styled("✗", kRed); }

void print_map(const view::AttentionMatrix& matrix) {
  const size_t width = view::terminal_width(STDOUT_FILENO);
  const std::string map = view::terminal_map(matrix, colours(), width > kMargin ? width - kMargin : 0);
  for (size_t begin = 0; begin < map.size();) {
    const size_t end = map.find('\n', begin);
    fmt::print("    {}\n", map.substr(begin, end - begin));
    begin = end + 1;
  }
  fmt::print("\n    {}\n\n", view::terminal_legend(colours()));
}

std::string program_name() {
  namespace fs = std::filesystem;
  std::error_code unknown;
  const fs::path program = fs::read_symlink("/proc/self/exe", unknown);
  const std::string path = program.lexically_relative(fs::current_path()).string();
  return path.empty() || path.starts_with("..") ? "attune" : path;
}

}  // namespace attune::demo
