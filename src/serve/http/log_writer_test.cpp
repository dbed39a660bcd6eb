#include "serve/http/log_writer.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <csignal>

#include "base/descriptor.h"

namespace attune::serve {
namespace {

struct Pipe {
  Descriptor out, in;
  Pipe() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(pipe(ends), 0);
    out = Descriptor(ends[0]);
    in = Descriptor(ends[1]);
  }
  // All that comes until it ends in `last`.
  std::string read_to(const std::string& last) const {
    std::string all;
    char part[4096];
    while (!all.ends_with(last)) {
      const ssize_t got = read(out.number(), part, sizeof part);
      if (got <= 0) break;
      all.append(part, static_cast<size_t>(got));
    }
    return all;
  }
};

TEST(LogWriter, a_thread_writes_lines_in_their_order) {
  const Pipe pipe;
  LogWriter log(pipe.in.number());
  log.write("eins\n");
  log.write("zwei: ä\n");
  EXPECT_EQ(pipe.read_to("ä\n"), "eins\nzwei: ä\n");
}

// A pipe takes 64 kB, and nobody reads it.
TEST(LogWriter, never_waits_for_a_reader_and_its_thread_says_what_was_dropped) {
  const Pipe pipe;
  std::atomic<int> dropped = 0;
  LogWriter log(pipe.in.number(), [&] { ++dropped; });
  const std::string line = std::string(99, 'x') + "\n";
  for (int i = 0; i < 100'000; ++i) log.write(line);
  EXPECT_GT(dropped, 50'000);
  EXPECT_LT(dropped, 100'000);
  std::string all;
  // What waits is taken at some time; then there is room for the last line.
  for (;;) {
    const int before = dropped;
    log.write("last\n");
    if (dropped == before) break;
    char part[4096];
    const ssize_t got = read(pipe.out.number(), part, sizeof part);
    ASSERT_GT(got, 0);
    all.append(part, static_cast<size_t>(got));
  }
  all += pipe.read_to("last\n");
  int said = 0;
  for (size_t at = all.find("\n# "); at != std::string::npos; at = all.find("\n# ", at + 1))
    said += std::stoi(all.substr(at + 3));
  EXPECT_EQ(said, dropped);
}

TEST(LogWriter, ends_its_thread_also_if_nobody_reads_or_the_reader_has_left) {
  const Pipe full;
  {
    LogWriter log(full.in.number());
    for (int i = 0; i < 1000; ++i) log.write(std::string(999, 'x') + "\n");
  }
  Pipe left;
  { const Descriptor closed = std::move(left.out); }
  signal(SIGPIPE, SIG_IGN);
  LogWriter log(left.in.number());
  log.write("hello\n");
}

}  // namespace
}  // namespace attune::serve
