#include "view/scene.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "attune/error.h"
#include "view/packed.h"

namespace attune::view {
namespace {

using Bytes = std::vector<unsigned char>;

void append_number(Bytes& to, uint32_t number) {
  for (const int shift : {24, 16, 8, 0}) to.push_back(static_cast<unsigned char>(number >> shift & 255));
}

void append_chunk(Bytes& to, std::string_view name, const Bytes& content) {
  append_number(to, static_cast<uint32_t>(content.size()));
  Bytes checked(name.begin(), name.end());
  checked.insert(checked.end(), content.begin(), content.end());
  to.insert(to.end(), checked.begin(), checked.end());
  append_number(to, static_cast<uint32_t>(crc32(0, checked.data(), static_cast<uInt>(checked.size()))));
}

// Grey or RGB with 8 bits, without filters.
Bytes png(const Bytes& pixels, size_t width, size_t height, size_t channels) {
  Bytes lines;
  for (size_t y = 0; y < height; ++y) {
    lines.push_back(0);
    const auto from = pixels.begin() + static_cast<std::ptrdiff_t>(y * width * channels);
    lines.insert(lines.end(), from, from + static_cast<std::ptrdiff_t>(width * channels));
  }
  uLongf size = compressBound(lines.size());
  Bytes small(size);
  if (compress2(small.data(), &size, lines.data(), lines.size(), 9) != Z_OK)
    throw Error("a picture cannot be compressed: there is not enough memory");
  small.resize(size);
  Bytes file{0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  Bytes head;
  append_number(head, static_cast<uint32_t>(width));
  append_number(head, static_cast<uint32_t>(height));
  head.insert(head.end(), {8, static_cast<unsigned char>(channels == 3 ? 2 : 0), 0, 0, 0});
  append_chunk(file, "IHDR", head);
  append_chunk(file, "IDAT", small);
  append_chunk(file, "IEND", {});
  return file;
}

// The smallest number is black, the largest white.
Bytes grey(const Scene& series) {
  Bytes pixels(series.numbers.size());
  if (pixels.empty()) return pixels;
  const auto [least, most] = std::ranges::minmax_element(series.numbers);
  const float range = *most > *least ? *most - *least : 1;
  for (size_t step = 0; step < series.count; ++step)
    for (size_t c = 0; c < series.columns; ++c)
      pixels[(series.columns - 1 - c) * series.count + step] =
          static_cast<unsigned char>(255 * (series.numbers[step * series.columns + c] - *least) / range);
  return pixels;
}

}  // namespace

const char* name_of(SceneKind kind) {
  static constexpr std::array<const char*, 4> kWords{"picture", "series", "variables", "graph"};
  return kWords[static_cast<size_t>(kind)];
}

std::string image_of(const Scene& scene) {
  const Bytes file = scene.kind == SceneKind::picture
                         ? png(scene.pixels, scene.width, scene.height, scene.channels)
                         : png(grey(scene), scene.count, scene.columns, 1);
  return "data:image/png;base64," + base64(file);
}

}  // namespace attune::view
