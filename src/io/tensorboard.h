// Curves and texts for TensorBoard: `tensorboard --logdir DIRECTORY`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "io/files/append_file.h"

namespace attune {

double wall_time_now();  // seconds since 1970

// Each writer makes a new file (events.out.tfevents.TIME.HOST.PROCESS.NUMBER); TensorBoard joins those of a
// directory.
class EventWriter {
 public:
  // `first` is the first step that will be written: what earlier files say about it and later steps, from
  // before training resumed, is no longer shown.
  explicit EventWriter(const std::filesystem::path& directory, int64_t first = 0);

  void scalar(std::string_view tag, int64_t step, double value, double wall_time = wall_time_now());
  void text(std::string_view tag, int64_t step, std::string_view markdown,
            double wall_time = wall_time_now());
  void sync() const { file_.sync(); }

 private:
  AppendFile file_;
};

// Each event as it is in the file.
std::string start_records(int64_t first, double wall_time);
std::string scalar_record(std::string_view tag, int64_t step, double value, double wall_time);
std::string text_record(std::string_view tag, int64_t step, std::string_view markdown, double wall_time);

}  // namespace attune
