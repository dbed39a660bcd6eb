#include "decode/text_stream.h"

#include <algorithm>

namespace attune {
namespace {

// The text of a token depends on whether there is a token before it, but not on which. So decoding a few is
// enough, and adding a token takes the same time however many came before.
constexpr size_t kWindow = 32, kOverlap = 4;  // tokens

// How many bytes at the end of a text may be the beginning of a stop text.
size_t held_back(std::string_view text, const std::vector<std::string>& stops) {
  size_t most = 0;
  for (const std::string& stop : stops)
    for (size_t n = std::min(stop.size() - 1, text.size()); n > most; --n)
      if (text.ends_with(std::string_view(stop).substr(0, n))) most = n;
  return most;
}

// Bytes of UTF-8: whether one continues a character, and how many should follow one that begins it.
bool continues(uint8_t byte) { return (byte & 0xC0) == 0x80; }
size_t following(uint8_t byte) { return byte < 0xC0 ? 0 : byte < 0xE0 ? 1 : byte < 0xF0 ? 2 : 3; }

// The bytes of a token that need not be whole characters; empty for others.
std::string part_of(int32_t token, const Vocabulary& vocabulary) {
  if (const auto byte = vocabulary.byte(token)) return {static_cast<char>(*byte)};
  return std::string(vocabulary.fragment(token));
}

}  // namespace

TextStream::TextStream(const Vocabulary& vocabulary, const std::string& beginning,
                       std::vector<std::string> stops)
    : vocabulary_(vocabulary), beginning_(beginning, vocabulary), stops_(std::move(stops)) {
  std::erase(stops_, "");
}

bool TextStream::is_whole() const {
  size_t more = 0;  // bytes that continue a character
  for (auto token = tokens_.rbegin(); token != tokens_.rend() && more < 4; ++token) {
    const std::string part = part_of(*token, vocabulary_);
    if (part.empty()) break;
    for (auto last = part.rbegin(); last != part.rend(); ++last, ++more)
      if (const auto byte = static_cast<uint8_t>(*last); !continues(byte)) return more >= following(byte);
  }
  return true;
}

std::string TextStream::add(int32_t token) {
  tokens_.push_back(token);
  return is_whole() ? show(false) : "";
}

void TextStream::decode() {
  const std::string text = vocabulary_.decode(std::span(tokens_).subspan(window_));
  text_ += text.substr(window_bytes_);
  window_bytes_ = text.size();
  decoded_ = tokens_.size();
  if (decoded_ - window_ < kWindow) return;
  size_t later = decoded_ - kOverlap;
  const auto inside = [this](int32_t token) {
    const std::string part = part_of(token, vocabulary_);
    return !part.empty() && continues(static_cast<uint8_t>(part[0]));
  };
  while (later > window_ && inside(tokens_[later])) --later;
  const size_t bytes = vocabulary_.decode(std::span(tokens_).subspan(later)).size();
  if (bytes == 0) return;  // tokens without text have none before them either
  window_ = later;
  window_bytes_ = bytes;
}

std::string TextStream::finish() { return show(true); }

std::string TextStream::show(bool everything) {
  if (stopped_) return {};
  decode();
  const std::optional<size_t> beginning = beginning_.length_in(text_);
  if (!beginning) return {};
  const std::string_view text = std::string_view(text_).substr(*beginning);
  size_t end = text.size();
  for (const std::string& stop : stops_)
    if (const size_t at = text.find(stop, shown_); at < end) {
      end = at;
      stopped_ = true;
    }
  if (!everything && !stopped_) end -= held_back(text, stops_);
  if (end <= shown_) return {};
  const std::string part(text.substr(shown_, end - shown_));
  shown_ = end;
  return part;
}

Hypothesis stream_search(const Ensemble& models, const SearchInput& input, const SearchWords& words,
                         const SearchOptions& options, TextStream& text, const ShowText& show) {
  const auto hand_over = [&](const std::string& part) { return part.empty() || show(part); };
  const SearchWatch watch{
      .follow = [&](int32_t word) { return hand_over(text.add(word)) && !text.stopped(); }};
  auto outputs = search(models, input, words, options, watch);
  hand_over(text.finish());
  return std::move(outputs[0][0]);
}

}  // namespace attune
