// What reports say in tables and plots, in Chinese.
#pragma once

#include <string>
#include <string_view>

namespace attune::compare {

// Of a head of a table, or a title or label of a plot; what is not known (names of models, numbers) stays.
std::string in_chinese(std::string_view text);

// The plot with its texts in both languages (lang="en", lang="zh-CN"), of which a page shows one.
std::string in_both_languages(std::string_view svg);

}  // namespace attune::compare
