#include "look/position_table.h"

#include <algorithm>
#include <map>

#include "config/entries.h"
#include "nn/positions.h"

namespace attune {
namespace {

constexpr int64_t kRows = 50;

std::map<std::string, std::string> settings(const ModelConfig& config) {
  std::map<std::string, std::string> values;
  for (const Entry& entry : entries_of([&](Fields& f) { config.fields(f); }))
    if (!entry.values.empty()) values[entry.key] = entry.values[0];
  return values;
}

// The first parameter of positions with that ending.
const Parameters::Entry* parameter(const ModelFiles& files, const std::string& ending) {
  const auto& all = files.parameters->entries();
  const auto found = std::ranges::find_if(all, [&](const auto& each) { return each.name.ends_with(ending); });
  return found == all.end() ? nullptr : &*found;
}

view::NumberTable rows_of(const Tensor& table, const std::vector<int64_t>& which) {
  const Tensor numbers = table.to(DType::f32);
  view::NumberTable rows{which.size(), static_cast<size_t>(numbers.columns()), {}};
  for (const int64_t r : which) {
    const auto row = numbers.row<float>(r);
    rows.numbers.insert(rows.numbers.end(), row.begin(), row.end());
  }
  return rows;
}

// Rows first, first + step, .. as far as there are that many.
view::NumberTable rows_of(const Tensor& table, int64_t first = 0, int64_t step = 1) {
  std::vector<int64_t> which;
  for (int64_t r = first; r >= 0 && r < table.rows() && std::ssize(which) < kRows; r += step)
    which.push_back(r);
  return rows_of(table, which);
}

}  // namespace

view::PositionTable position_table(const ModelFiles& files) {
  const auto known = settings(*files.config);
  const auto kind = known.find("positions");
  if (kind == known.end() || !known.contains("d_model") || !known.contains("heads")) return {};
  const int64_t d = std::stoll(known.at("d_model")), heads = std::stoll(known.at("heads"));
  const std::string& name = kind->second;
  if (name == "sinusoidal") return {name, rows_of(sinusoidal_table(kRows, d))};
  if (name == "sinusoidal_halves") return {name, rows_of(sinusoidal_halves_table(kRows, d))};
  if (name == "sinusoidal_split") return {name, rows_of(sinusoidal_split_table(kRows, d))};
  if (name == "rotary")
    return {name,
            rows_of(rotary_table(kRows, d / heads,
                                 {std::stod(known.at("rotary_base")), std::stod(known.at("rotary_stretch")),
                                  std::stoll(known.at("rotary_trained"))}))};
  if (name == "alibi") return {name, rows_of(alibi_bias(kRows, heads), kRows - 1)};
  const Parameters::Entry* learned = nullptr;
  if (name == "learned" && (learned = parameter(files, "positions.weight")) != nullptr)
    return {name, rows_of(learned->tensor)};
  if (name == "t5" && (learned = parameter(files, "positions.bias")) != nullptr) {
    std::vector<int64_t> buckets;  // of the distances back
    for (int64_t away = 0; away < kRows; ++away)
      buckets.push_back(t5_bucket(-away, learned->tensor.rows(), learned->name.starts_with("decoder")));
    return {name, rows_of(learned->tensor, buckets)};
  }
  return {};
}

}  // namespace attune
