// Console: what a run tells its user. Lines go to stderr and to train.log; on a terminal a last line below
// them is redrawn as training goes on.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

namespace attune {

class Console {
 public:
  // Appends to the file; an empty path is none. A quiet one writes to it alone.
  explicit Console(const std::filesystem::path& log, bool quiet = false);
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;
  ~Console();

  void line(const std::string& text);  // with the time of day; several lines if the text has several
  void live(const std::string& text);  // on a terminal alone
  bool terminal() const { return terminal_; }

 private:
  void clear_live();

  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  bool quiet_, terminal_, live_ = false;
};

}  // namespace attune
