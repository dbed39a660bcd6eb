#include "text/vocabulary/several_sources.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "attune/error.h"

namespace attune {
namespace {

constexpr std::string_view kHead = "# attune sources 1\n";
constexpr size_t kMostParts = 16;

// Token t of part p is number t * parts + p.
class SeveralSources final : public Vocabulary {
 public:
  explicit SeveralSources(std::vector<std::shared_ptr<const Vocabulary>> parts) : parts_(std::move(parts)) {}

  VocabularyKind kind() const override { return VocabularyKind::several; }
  bool is_listed() const override { return true; }
  int32_t size() const override {
    int32_t all = 0;
    for (const auto& part : parts_) all += part->size();
    return all;
  }
  std::span<const std::shared_ptr<const Vocabulary>> parts() const override { return parts_; }
  const char* file_ending() const override { return ".parts"; }

  std::vector<int32_t> encode(std::string_view text) const override {
    return encoded(text, [](const Vocabulary& part, std::string_view own) { return part.encode(own); });
  }
  std::vector<int32_t> sample(std::string_view text, double rate, const Random& random) const override {
    return encoded(
        text, [&](const Vocabulary& part, std::string_view own) { return part.sample(own, rate, random); });
  }

  std::vector<size_t> begins(std::string_view text) const override {
    std::vector<size_t> all;
    size_t at = 0;
    for (size_t i = 0; i < parts_.size(); ++i) {
      const std::string_view own = field(text, i);
      for (const size_t begin : parts_[i]->begins(own))
        all.push_back(parts_[i]->vectors() != nullptr || begin == kNotInText ? kNotInText : at + begin);
      if (parts_[i]->eos() >= 0) all.push_back(kNotInText);
      at += own.size() + 1;
    }
    return all;
  }

  std::string piece(int32_t id) const override {
    return parts_[part_of(id)]->piece(id / static_cast<int32_t>(parts_.size()));
  }
  std::vector<std::string> pieces(std::string_view text) const override {
    std::vector<std::string> all;
    for (const int32_t id : encode(text)) all.push_back(piece(id));
    return all;
  }

  // There is no way back to text, and there are no symbols.
  std::string decode(std::span<const int32_t> /*ids*/) const override { return ""; }
  std::string join(const std::vector<std::string>& /*pieces*/) const override { return ""; }
  std::optional<int32_t> id(std::string_view /*piece*/) const override { return {}; }
  int32_t unk() const override { return -1; }
  int32_t bos() const override { return -1; }
  int32_t eos() const override { return -1; }

  std::string serialized() const override {
    std::string all(kHead);
    for (const auto& part : parts_) {
      const std::string content = part->serialized();
      all += fmt::format("{}\n{}", content.size(), content);
    }
    return all;
  }

 private:
  size_t part_of(int32_t id) const {
    if (id < 0) throw Error(fmt::format("there is no token {}", id));
    return static_cast<size_t>(id) % parts_.size();
  }

  std::string_view field(std::string_view text, size_t number) const {
    for (; number > 0; --number) text.remove_prefix(text.find('\t') + 1);
    return text.substr(0, text.find('\t'));
  }

  // Nothing for an empty text; one that lacks a source is a UsageError.
  template <class Encode>
  std::vector<int32_t> encoded(std::string_view text, const Encode& encode) const {
    if (text.empty()) return {};
    const auto sources = static_cast<size_t>(std::count(text.begin(), text.end(), '\t')) + 1;
    if (sources != parts_.size())
      throw UsageError(fmt::format("the model reads {} sources with tabs between them, but there {} in '{}'",
                                   parts_.size(), sources == 1 ? "is one" : fmt::format("are {}", sources),
                                   text.substr(0, 60)));
    const auto count = static_cast<int64_t>(parts_.size());
    std::vector<int32_t> all;
    for (size_t i = 0; i < parts_.size(); ++i) {
      std::vector<int32_t> own = encode(*parts_[i], field(text, i));
      if (own.empty()) return {};
      if (parts_[i]->eos() >= 0) own.push_back(parts_[i]->eos());
      for (const int32_t id : own) {
        const int64_t number = id * count + static_cast<int64_t>(i);
        if (number > std::numeric_limits<int32_t>::max())
          throw Error("too many rows of numbers were read; use fewer files");
        all.push_back(static_cast<int32_t>(number));
      }
    }
    return all;
  }

  std::vector<std::shared_ptr<const Vocabulary>> parts_;
};

const RegisterVocabularyFormat registered{
    {.recognises = [](std::string_view content) { return content.starts_with(kHead); },
     .parse = [](std::string content, const std::string& name) -> std::unique_ptr<Vocabulary> {
       std::vector<std::shared_ptr<const Vocabulary>> parts;
       for (std::string_view rest = std::string_view(content).substr(kHead.size()); !rest.empty();) {
         size_t size = 0;
         const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), size);
         const auto used = static_cast<size_t>(end - rest.data()) + 1;
         if (error != std::errc() || used > rest.size() || *end != '\n' || size > rest.size() - used ||
             parts.size() == kMostParts || rest.substr(used, size).starts_with(kHead))
           throw UsageError(
               fmt::format("{}: the vocabulary of source {} is damaged", name, parts.size() + 1));
         parts.push_back(parse_vocabulary(std::string(rest.substr(used, size)),
                                          fmt::format("{} (source {})", name, parts.size() + 1)));
         rest.remove_prefix(used + size);
       }
       if (parts.size() < 2) throw UsageError(fmt::format("{}: it should have several sources", name));
       return several_sources(std::move(parts));
     }}};

}  // namespace

std::unique_ptr<Vocabulary> several_sources(std::vector<std::shared_ptr<const Vocabulary>> parts) {
  return std::make_unique<SeveralSources>(std::move(parts));
}

std::string joined_sources(std::span<const std::string> texts) {
  std::string all;
  for (size_t i = 0; i < texts.size(); ++i) all += (i == 0 ? "" : "\t") + texts[i];
  return all;
}

std::vector<int32_t> tokens_of_source(const Vocabulary& several, std::span<const int32_t> ids, size_t part) {
  const auto parts = static_cast<int32_t>(several.parts().size());
  std::vector<int32_t> own;
  for (const int32_t id : ids)
    if (id % parts == static_cast<int32_t>(part)) own.push_back(id / parts);
  return own;
}

}  // namespace attune
