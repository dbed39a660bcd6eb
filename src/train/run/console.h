// Console: what a run tells its user. Lines go to stderr and to train.log; on a terminal a last line below
// them is redrawn as training goes on.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "io/files/append_file.h"

namespace attune {

class Console {
 public:
  // A quiet one writes to its file alone.
  explicit Console(bool quiet = false);
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;
  ~Console();

  // From now on lines are appended to the file; so are those that were said before.
  void keep_in(const std::filesystem::path& log);

  void line(const std::string& text);  // with the time of day; several lines if the text has several
  void live(const std::string& text);  // on a terminal alone
  bool terminal() const { return terminal_; }
  void sync() const;  // the file is on disk when it returns

 private:
  void clear_live();
  void keep(const std::string& lines);

  std::optional<AppendFile> file_;
  std::string waiting_;  // for the file
  bool quiet_, terminal_, live_ = false;
};

}  // namespace attune
