// Console: messages from a run to its user. Lines go to stderr and to train.log; on a terminal, the line
// below them is redrawn as training proceeds.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "io/files/append_file.h"

namespace attune {

class Console {
 public:
  // A quiet one writes only to its file.
  explicit Console(bool quiet = false);
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;
  ~Console();

  // Appends all lines to the file from now on, preceded by the earlier ones.
  void keep_in(const std::filesystem::path& log);

  void line(const std::string& text);  // with the time of day; the text may have several lines
  void live(const std::string& text);  // only on a terminal
  bool terminal() const { return terminal_; }
  void sync() const;  // returns once the file is on disk

 private:
  void clear_live();
  void keep(const std::string& lines);

  std::optional<AppendFile> file_;
  std::string waiting_;  // text for the file, before it is opened
  bool quiet_, terminal_, live_ = false;
};

}  // namespace attune
