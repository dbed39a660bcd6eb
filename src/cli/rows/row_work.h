// Processes lines of text in several threads: rows of one or several columns go in, text comes out in the
// same order, as soon as it is ready and in constant memory.
#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "attune/error.h"
#include "attune/threads.h"
#include "base/threads/wake_up.h"
#include "cli/rows/row_reader.h"
#include "decode/ordered_work.h"

namespace CLI {
class App;
}

namespace attune::cli {

struct RowPiece {
  int64_t first = 0;  // number of its first row, from 0
  std::vector<Row> rows;
};

// The output of the rows of a piece, ready to be written.
struct Written {
  std::string text, warnings;
};
void write_out(const Written& written);

// Why a line is not text: "byte 3 is not UTF-8".
std::optional<std::string> not_text(std::string_view line);

// Ends all work, after the rows before this one.
struct BadRow : UsageError {
  BadRow(const std::string& what, int64_t row) : UsageError(what), number(row) {}
  int64_t number;  // from 0
};

// Options of every verb that takes lines.
struct RowOptions {
  int64_t mini_batch_words = 2000;
  int threads = 0;
  std::string on_error = "stop", ways_on = "skip";

  void add_options(CLI::App& app, const std::vector<std::string>& on_error_words);

  // Row `number` cannot be used: throws a BadRow, or writes a warning that says what it `becomes`.
  void refuse(int64_t number, const std::string& what, const std::string& becomes, Written& written) const;
  // Whether each column is text; if not, the row is refused.
  bool accept(const Row& row, int64_t number, const std::string& becomes, Written& written) const;
};

// `work` runs in the workers; `done` gets the results in order. Rows before a BadRow are still done.
template <class Result>
void row_work(const RowSource& source, int threads, const std::function<Result(RowPiece)>& work,
              const std::function<void(Result&&)>& done) {
  struct Outcome {
    Result result;
    std::exception_ptr error;  // comes after it
  };
  constexpr size_t kRowsAPiece = 256;
  const WakeUp wake;
  RowReader reader(source, wake.descriptor());
  int64_t count = 0;
  ordered_work<RowPiece, Outcome>(
      threads > 0 ? threads : attune::threads(),
      [&]() -> std::optional<RowPiece> {
        RowPiece piece{count, reader.next(kRowsAPiece)};
        count += static_cast<int64_t>(piece.rows.size());
        return piece.rows.empty() ? std::nullopt : std::optional(std::move(piece));
      },
      [&](RowPiece&& piece) -> Outcome {
        const ThreadCount one(1);  // every worker runs whole batches on its own
        try {
          return {work(piece), nullptr};
        } catch (const BadRow& bad) {
          piece.rows.resize(static_cast<size_t>(bad.number - piece.first));
          return {work(std::move(piece)), std::current_exception()};
        }
      },
      [&](Outcome&& outcome) {
        done(std::move(outcome.result));
        if (outcome.error) std::rethrow_exception(outcome.error);
      },
      [&] { wake.wake(); });
}

}  // namespace attune::cli
