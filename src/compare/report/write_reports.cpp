#include "compare/report/write_reports.h"

#include "compare/report/report.h"
#include "compare/report/report_plots.h"
#include "compare/report/tables.h"
#include "io/files/file.h"
#include "view/plot/plot.h"

namespace attune::compare {

std::string write_reports(const Results& results, const std::filesystem::path& folder) {
  std::string tables = markdown(results);
  write_file_atomically(folder / "report.md", tables);
  write_file_atomically(folder / "report.html", html(results));
  std::filesystem::create_directories(folder / "plots");
  for (const auto& [name, svg] : all_plots(results))
    write_file_atomically(folder / "plots" / (name + ".svg"), view::standalone(svg));
  return tables;
}

}  // namespace attune::compare
