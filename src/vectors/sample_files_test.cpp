#include "vectors/sample_files.h"

#include <gtest/gtest.h>

#include <fmt/core.h>

#include <filesystem>
#include <fstream>

#include "io/arrays/npz_fixture.h"
#include "io/safetensors.h"
#include "testing/golden.h"
#include "testing/op_check.h"
#include "vectors/vector_vocabulary.h"

namespace attune {
namespace {

namespace fs = std::filesystem;
using testing::expect_error;

class SampleFilesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) /
              ("样本-" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return (folder_ / name).string();
  }

  fs::path folder_;
};

std::vector<float> numbers(const std::string& line, const VectorReading& reading = {}) {
  return SampleFiles(reading).rows(line).numbers;
}

TEST_F(SampleFilesTest, a_line_names_a_table_or_some_of_its_rows) {
  const std::string csv = write("温度.csv", "date,a,b\n2016-07-01,1,2\n2016-07-02,3,4\n2016-07-03,5,6\n");
  EXPECT_EQ(numbers(csv), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(numbers(csv + ":1-3"), (std::vector<float>{3, 4, 5, 6}));
  EXPECT_EQ(numbers(csv + ":0-2", {.transposed = true}), (std::vector<float>{1, 3, 2, 4}));
  EXPECT_EQ(numbers(csv, {.stacked = 2}), (std::vector<float>{1, 2, 3, 4, 5, 6, 0, 0}));
  expect_error([&] { numbers(csv + ":2-4"); }, csv + ": there is no row 3; it has 3");
  expect_error([&] { numbers(csv + ":2-2"); }, csv + ":2-2: this part has no rows");
  expect_error([&] { numbers(csv + ":1"); }, "sample 1 of it was asked for, but it is one table");
  expect_error([&] { numbers("nowhere.csv"); }, "nowhere.csv");
}

TEST_F(SampleFilesTest, arrays_of_numpy) {
  const std::string cube(reinterpret_cast<const char*>(std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}.data()),
                         32);
  const std::string npy = write("a.npy", testing::npy_of("<f4", "2, 2, 2", cube));
  EXPECT_EQ(numbers(npy + ":1"), (std::vector<float>{5, 6, 7, 8}));
  expect_error([&] { numbers(npy); }, "it has 2 samples; write which one: " + npy + ":0");
  expect_error([&] { numbers(npy + ":2"); }, "there is no sample 2; it has 2");
  testing::write_npz(folder_ / "b.npz", {{"x", testing::npy_of("<f4", "4, 2", cube)},
                                         {"y", testing::npy_of("<f4", "8,", cube)}});
  const std::string npz = (folder_ / "b.npz").string();
  EXPECT_EQ(numbers(npz + ":x:3-4"), (std::vector<float>{7, 8}));
  expect_error([&] { numbers(npz); }, "it has 2 arrays; write which one");
  expect_error([&] { numbers(npz + ":y"); }, "an array of shape [8]; it should have two dimensions");
  expect_error([&] { numbers(npz + ":z"); }, "there is no array 'z'");
  const float broken[] = {1, std::numeric_limits<float>::quiet_NaN()};
  const std::string nan =
      write("nan.npy", testing::npy_of("<f4", "2, 1", {reinterpret_cast<const char*>(broken), 8}));
  expect_error([&] { numbers(nan); }, "row 1 has a number that is not finite");
}

// Stored and compressed, in rows and in columns (tests/golden/arrays.py).
TEST_F(SampleFilesTest, a_sample_is_read_from_arrays_of_every_type_and_order) {
  for (const char* file : {"stored.npz", "deflated.npz"}) {
    const std::string npz = (testing::golden("arrays") / file).string();
    for (const std::string type : {"f2", "f4", "f8", "i1", "i2", "i4", "i8"}) {
      EXPECT_EQ(numbers(npz + ":matrix." + type + ":1-3"), (std::vector<float>{1, 2, 3, -3, -2, -1, 0, 1}));
      EXPECT_EQ(numbers(npz + ":cube." + type + ":1"), (std::vector<float>{3, -3, -2, -1, 0, 1}));
    }
    EXPECT_EQ(numbers(npz + ":straße/fortran:1"), (std::vector<float>{3, -3, -2, -1, 0, 1}));
    expect_error([&] { numbers(npz + ":empty.f4:0-1"); }, "there are no numbers in it");
  }
  std::string columns = testing::npy_of("|u1", "3, 2", "\1\2\3\4\5\6");  // 1 4, 2 5, 3 6
  columns.replace(columns.find("False"), 5, "True ");
  EXPECT_EQ(numbers(write("columns.npy", columns) + ":1-3"), (std::vector<float>{2, 5, 3, 6}));
  const Tensor table = Tensor::of<float>({2, 2}, {1, -2, 0.5, 8});
  for (const DType type : {DType::f32, DType::f64, DType::bf16}) {
    const std::string path = (folder_ / "数.safetensors").string();
    write_safetensors(path, std::vector<NamedTensor>{{"α", table.to(type)}});
    EXPECT_EQ(numbers(path), (std::vector<float>{1, -2, 0.5, 8}));
    EXPECT_EQ(numbers(path + ":α:1-2"), (std::vector<float>{0.5, 8}));
    expect_error([&] { numbers(path + ":β"); }, "there is no tensor 'β'");
  }
}

// Rows are found in the middle of a file, and faults have the number of their line.
TEST_F(SampleFilesTest, rows_of_a_long_table) {
  for (const bool heading : {false, true}) {
    std::string text = heading ? "\xEF\xBB\xBFZeit,Wärme\r\n" : "";
    for (int i = 0; i < 1000; ++i)
      text += std::to_string(i) + "," + std::to_string(-i) + (i % 300 == 7 ? "\r\n \t\n" : "\r\n");
    text += "1000,-1000";  // without an end of line
    const SampleFiles files({});
    const std::string path = write("lang.csv", text);
    for (const auto& [first, end] :
         {std::pair{0, 3}, {254, 258}, {255, 256}, {256, 257}, {500, 800}, {0, 1001}, {1000, 1001}}) {
      const Vectors rows = files.rows(path + ":" + std::to_string(first) + "-" + std::to_string(end));
      ASSERT_EQ(rows.rows, end - first);
      for (int i = first; i < end; ++i) {
        EXPECT_EQ(rows.numbers[static_cast<size_t>(2 * (i - first))], i);
        EXPECT_EQ(rows.numbers[static_cast<size_t>(2 * (i - first)) + 1], -i);
      }
    }
    expect_error([&] { files.rows(path + ":1000-1002"); }, "there is no row 1001; it has 1001");
    const std::string broken = write("broken.csv", text + "\n1\n");  // below 1,001 rows and four blank lines
    EXPECT_EQ(SampleFiles({}).rows(broken + ":10-20").rows, 10);
    expect_error(
        [&] { numbers(broken + ":990-1002"); },
        fmt::format("broken.csv:{}: there are 1 columns, but 2 in the rows before", heading ? 1007 : 1006));
  }
  expect_error([&] { numbers(write("leer.csv", "\n \n")); }, "there are no numbers in it");
  expect_error([&] { numbers(write("kopf.csv", "a,b\n")); }, "there are no numbers in it");
}

TEST_F(SampleFilesTest, a_file_that_became_shorter_is_refused) {
  std::string numbers_of_file(1 << 16, '\0');
  const std::string path = write("kurz.npy", testing::npy_of("<f4", "4096, 4", numbers_of_file));
  const SampleFiles files({});
  EXPECT_EQ(files.rows(path + ":4095-4096").numbers, std::vector<float>(4));
  fs::resize_file(path, 1 << 12);
  expect_error([&] { files.rows(path + ":4095-4096"); }, "kurz.npy: it became shorter while it was read");
}

TEST_F(SampleFilesTest, patches_are_called_by_line_and_column) {
  const std::string picture = write("p.pgm", "P5\n4 4\n255\n" + std::string(16, 'a'));
  const auto words = make_vector_vocabulary({.patch = 2}, picture);
  EXPECT_EQ(words->pieces(picture), (std::vector<std::string>{"0.0", "0.1", "1.0", "1.1"}));
}

TEST_F(SampleFilesTest, edges_lead_both_ways_unless_told_otherwise) {
  const std::string line =
      write("nodes.tsv", "1\n2\n3\n") + "|" + write("edges.tsv", "0\t2\n2\t0\n1\t1\n2\t1\n");
  const auto edges = [&](const VectorReading& reading) { return SampleFiles(reading).edges(line, 3); };
  EXPECT_EQ(edges({}), (std::vector<NodeEdge>{{0, 2, 1}, {1, 2, 1}, {2, 0, 1}, {2, 1, 1}}));
  EXPECT_EQ(edges({.both_ways = false}), (std::vector<NodeEdge>{{0, 2, 1}, {2, 0, 1}, {2, 1, 1}}));
}

TEST_F(SampleFilesTest, an_edge_to_nowhere_is_refused) {
  const std::string nodes = write("nodes.tsv", "1\n2\n3\n");
  const auto refused = [&](const std::string& edges, const std::string& message) {
    const std::string path = write("edges.tsv", edges);
    expect_error([&] { SampleFiles({}).edges(nodes + "|" + path, 3); }, path + ": " + message);
  };
  refused("0 1\n1 3\n", "edge 2 leads to 3, but rows from 0 to 2 are possible");
  refused("-1 1\n", "edge 1 comes from -1, but rows from 0 to 2 are possible");
  refused("0 1.5\n", "edge 1 leads to 1.5, but rows from 0 to 2 are possible");
  refused("0 1 0\n", "edge 1 is of kind 0, but kinds from 1 to 1000 are possible");
  refused("0\n", "edges have two columns, from and to, and perhaps a third, the kind; this file has 1");
  expect_error([&] { SampleFiles({}).edges(nodes, 3); }, "it names no edges; write NODES|EDGES");
}

TEST_F(SampleFilesTest, rows_are_tokens_of_a_vocabulary) {
  const std::string a = write("a.csv", "1,2\n3,4\n"), b = write("b.csv", "5,6\n"), c = write("c.csv", "7\n");
  const auto words =
      parse_vocabulary(make_vector_vocabulary({.standardise = Standardise::rows}, a)->serialized(), "v");
  ASSERT_NE(words->vectors(), nullptr);
  EXPECT_EQ(words->vectors()->width(), 2);
  EXPECT_EQ(words->vectors()->standardise(), Standardise::rows);
  const auto first = words->encode(a), second = words->encode(b);
  EXPECT_EQ(words->encode(a), first);
  EXPECT_TRUE(words->encode("").empty());
  std::vector<float> read(6);
  words->vectors()->read(std::vector<int32_t>{second[0], first[1], first[0]}, read);
  EXPECT_EQ(read, (std::vector<float>{5, 6, 3, 4, 1, 2}));
  EXPECT_EQ(words->pieces(a), (std::vector<std::string>{"0", "1"}));
  expect_error([&] { words->encode(c); }, c + ": its rows have 1 numbers, but those of other samples have 2");
  write("b.csv", "5,6\n7,8\n");
  const auto late = parse_vocabulary(words->serialized(), "v");
  expect_error([&] { parse_vocabulary("# attune vectors 1\nwidth: 0\n", "v.yml"); },
               "v.yml: width should be from 1 to 1048576, but is 0");
}

}  // namespace
}  // namespace attune
