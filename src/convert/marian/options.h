// The configuration that Marian keeps inside a model (special:model.yml).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/entries.h"

namespace attune::marian {

class Options {
 public:
  // `name` appears in messages.
  Options(std::string_view yaml, const std::string& name);

  bool contains(std::string_view key) const { return find(key) != nullptr; }
  std::string text(std::string_view key, std::string otherwise = "") const;
  int64_t number(std::string_view key, int64_t otherwise) const;
  bool flag(std::string_view key) const { return text(key, "false") == "true"; }
  std::vector<std::string> list(std::string_view key) const;

  // Whether a Marian before this version wrote it; not if it does not say so.
  bool before(const std::array<int, 3>& version) const;

  // A UsageError for every option that means a network which attune does not have, and for options that
  // attune does not know, unless they are off.
  void refuse_other_networks() const;

 private:
  const Entry* find(std::string_view key) const;

  Entries entries_;
  std::string name_;
};

}  // namespace attune::marian
