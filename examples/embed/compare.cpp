// attune as a library: several models, the same data and budget, one report.
//
//   compare RECIPE.yml
#include <attune/comparison.h>
#include <attune/error.h>

#include <cstdio>

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: compare RECIPE.yml\n");
    return 2;
  }
  try {
    const attune::ComparisonReport report = attune::compare_models(arguments[1]);
    std::printf("%s\n%s\n", report.markdown.c_str(), (report.folder / "report.html").c_str());
  } catch (const attune::Error& error) {
    std::fprintf(stderr, "compare: %s\n", error.what());
    return 1;
  }
}
