#include "base/line_reader.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string_view>
#include <thread>

#include "base/threads/wake_up.h"

namespace attune {
namespace {

using Lines = std::vector<std::string>;

struct Pipe {
  int ends[2];
  Pipe() { EXPECT_EQ(pipe(ends), 0); }
  ~Pipe() {
    close(ends[0]);
    finish();
  }
  void put(std::string_view text) const {
    EXPECT_EQ(write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void finish() {
    if (ends[1] >= 0) close(ends[1]);
    ends[1] = -1;
  }
};

TEST(LineReader, gives_what_is_there_without_waiting_for_more) {
  Pipe pipe;
  LineReader reader(pipe.ends[0]);
  pipe.put("one\ntwo\nthr");
  EXPECT_EQ(reader.next(10), (Lines{"one", "two"}));
  pipe.put("ee\n");
  EXPECT_EQ(reader.next(10), (Lines{"three"}));
  pipe.put("four\n\nsix");
  EXPECT_EQ(reader.next(1), (Lines{"four"}));
  pipe.finish();
  EXPECT_EQ(reader.next(10), (Lines{"", "six"}));
  EXPECT_EQ(reader.next(10), Lines{});
}

TEST(LineReader, takes_both_kinds_of_line_ends_and_lines_longer_than_its_buffer) {
  Pipe pipe;
  LineReader reader(pipe.ends[0]);
  pipe.put("a\r\nb\rc\n");
  EXPECT_EQ(reader.next(2), (Lines{"a", "b\rc"}));
  const std::string line(200'000, 'x');
  const std::jthread writer([&] {  // a pipe holds less than the line
    pipe.put(line + "\nend\n");
    pipe.finish();
  });
  EXPECT_EQ(reader.next(2), (Lines{line, "end"}));
}

TEST(LineReader, waiting_ends_when_it_is_woken_up_from_another_thread) {
  Pipe pipe;
  const WakeUp wake;
  LineReader reader(pipe.ends[0], wake.descriptor());
  pipe.put("whole\nha");
  EXPECT_EQ(reader.next(3), (Lines{"whole"}));
  const std::jthread other([&] { wake.wake(); });
  EXPECT_EQ(reader.next(3), Lines{});
  EXPECT_EQ(reader.next(3), Lines{});
}

TEST(LineReader, an_empty_input_has_no_lines) {
  Pipe pipe;
  pipe.finish();
  EXPECT_EQ(LineReader(pipe.ends[0]).next(3), Lines{});
}

}  // namespace
}  // namespace attune
