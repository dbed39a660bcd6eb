#include "vectors/picture.h"

#include <fmt/core.h>
#include <png.h>
#include <turbojpeg.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "attune/error.h"
#include "base/ascii.h"

namespace attune {
namespace {

constexpr int64_t kMostPixels = int64_t{1} << 26;

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  throw UsageError(fmt::format("{}: {}", name, what));
}

void require_size(const PictureSize& size, const std::string& name) {
  if (size.height <= 0 || size.width <= 0 || size.height > kMostPixels / size.width)
    refuse(name, fmt::format("a picture of {} x {} pixels cannot be read", size.width, size.height));
}

const unsigned char* bytes_of(std::span<const std::byte> file) {
  return reinterpret_cast<const unsigned char*>(file.data());
}

bool begins_with(std::span<const std::byte> file, std::string_view magic) {
  return file.size() >= magic.size() && std::memcmp(file.data(), magic.data(), magic.size()) == 0;
}

bool is_png(std::span<const std::byte> file) { return begins_with(file, "\x89PNG\r\n\x1a\n"); }
bool is_jpeg(std::span<const std::byte> file) { return begins_with(file, "\xff\xd8\xff"); }
bool is_pnm(std::span<const std::byte> file) { return begins_with(file, "P5") || begins_with(file, "P6"); }

Picture empty_picture(const PictureSize& size, int64_t channels) {
  return {size.height, size.width, channels,
          std::vector<uint8_t>(static_cast<size_t>(size.height * size.width * channels))};
}

// ---- PNG, by libpng's simplified interface.

struct Png {
  png_image image = {};

  Png(std::span<const std::byte> file, const std::string& name) {
    image.version = PNG_IMAGE_VERSION;
    if (png_image_begin_read_from_memory(&image, file.data(), file.size()) == 0)
      refuse(name, fmt::format("the PNG file is damaged: {}", image.message));
  }
  Png(const Png&) = delete;
  Png& operator=(const Png&) = delete;
  ~Png() { png_image_free(&image); }

  PictureSize size() const { return {image.height, image.width}; }
};

Picture read_png(std::span<const std::byte> file, int64_t channels, const std::string& name) {
  Png png(file, name);
  require_size(png.size(), name);
  Picture picture = empty_picture(png.size(), channels);
  png.image.format = channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  const png_color white{255, 255, 255};  // behind what is transparent
  if (png_image_finish_read(&png.image, &white, picture.pixels.data(), 0, nullptr) == 0)
    refuse(name, fmt::format("the PNG file is damaged: {}", png.image.message));
  return picture;
}

// ---- JPEG, by TurboJPEG.

struct CloseTurbo {
  void operator()(void* handle) const { tjDestroy(handle); }
};
using Turbo = std::unique_ptr<void, CloseTurbo>;

PictureSize jpeg_size(const Turbo& turbo, std::span<const std::byte> file, const std::string& name) {
  int width = 0, height = 0, sampling = 0, colours = 0;
  if (tjDecompressHeader3(turbo.get(), bytes_of(file), file.size(), &width, &height, &sampling, &colours) !=
      0)
    refuse(name, fmt::format("the JPEG file is damaged: {}", tjGetErrorStr2(turbo.get())));
  return {height, width};
}

Picture read_jpeg(std::span<const std::byte> file, int64_t channels, const std::string& name) {
  const Turbo turbo(tjInitDecompress());
  const PictureSize size = jpeg_size(turbo, file, name);
  require_size(size, name);
  Picture picture = empty_picture(size, channels);
  if (tjDecompress2(turbo.get(), bytes_of(file), file.size(), picture.pixels.data(),
                    static_cast<int>(size.width), 0, static_cast<int>(size.height),
                    channels == 1 ? TJPF_GRAY : TJPF_RGB, TJFLAG_ACCURATEDCT) != 0)
    refuse(name, fmt::format("the JPEG file is damaged: {}", tjGetErrorStr2(turbo.get())));
  return picture;
}

// ---- PNM: "P5 width height maximum" and a byte a pixel, or "P6 .." and three. A # begins a comment.

struct Pnm {
  PictureSize size;
  int64_t channels = 1;
  int64_t maximum = 255;
  std::span<const std::byte> pixels;
};

Pnm parse_pnm(std::span<const std::byte> file, const std::string& name) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  size_t at = 2;
  const auto next_number = [&] {
    while (at < text.size() && (std::strchr(" \t\r\n", text[at]) != nullptr || text[at] == '#')) {
      if (text[at] == '#')
        at = std::min(text.find('\n', at), text.size());
      else
        ++at;
    }
    int64_t number = 0;
    const size_t first = at;
    for (; at < text.size() && is_ascii_digit(text[at]) && number < kMostPixels; ++at)
      number = 10 * number + (text[at] - '0');
    if (at == first) refuse(name, fmt::format("byte {}: the PNM file should have a number here", at));
    return number;
  };
  Pnm pnm;
  pnm.channels = text[1] == '5' ? 1 : 3;
  pnm.size.width = next_number();
  pnm.size.height = next_number();
  pnm.maximum = next_number();
  require_size(pnm.size, name);
  if (pnm.maximum < 1 || pnm.maximum > 255)
    refuse(name, "only PNM files with a byte for each number can be read; convert it to PNG");
  ++at;  // one white space after the maximum
  const auto bytes = static_cast<size_t>(pnm.size.width * pnm.size.height * pnm.channels);
  if (at > file.size() || file.size() - at < bytes)
    refuse(name, fmt::format("the file ends early: {} bytes of pixels were expected", bytes));
  pnm.pixels = file.subspan(at, bytes);
  return pnm;
}

// ITU-R BT.601, as PNG and JPEG libraries weigh colours.
uint8_t grey(const uint8_t* rgb) {
  return static_cast<uint8_t>((299 * rgb[0] + 587 * rgb[1] + 114 * rgb[2] + 500) / 1000);
}

Picture read_pnm(std::span<const std::byte> file, int64_t channels, const std::string& name) {
  const Pnm pnm = parse_pnm(file, name);
  Picture picture = empty_picture(pnm.size, channels);
  std::vector<uint8_t> given(pnm.pixels.size());
  std::ranges::transform(pnm.pixels, given.begin(), [&](std::byte b) {
    return static_cast<uint8_t>(std::min<int64_t>(std::to_integer<int64_t>(b), pnm.maximum) * 255 /
                                pnm.maximum);
  });
  const int64_t count = pnm.size.width * pnm.size.height;
  for (int64_t i = 0; i < count; ++i) {
    const uint8_t* from = given.data() + i * pnm.channels;
    uint8_t* to = picture.pixels.data() + i * channels;
    if (channels == 1)
      *to = pnm.channels == 1 ? *from : grey(from);
    else
      for (int64_t c = 0; c < 3; ++c) to[c] = from[pnm.channels == 1 ? 0 : c];
  }
  return picture;
}

}  // namespace

bool is_picture(std::span<const std::byte> file) { return is_png(file) || is_jpeg(file) || is_pnm(file); }

PictureSize picture_size(std::span<const std::byte> file, const std::string& name) {
  if (is_png(file)) return Png(file, name).size();
  if (is_jpeg(file)) return jpeg_size(Turbo(tjInitDecompress()), file, name);
  if (is_pnm(file)) return parse_pnm(file, name).size;
  refuse(name, "this is not a PNG, JPEG, PGM or PPM file");
}

Picture read_picture(std::span<const std::byte> file, int64_t channels, const std::string& name) {
  if (is_png(file)) return read_png(file, channels, name);
  if (is_jpeg(file)) return read_jpeg(file, channels, name);
  if (is_pnm(file)) return read_pnm(file, channels, name);
  refuse(name, "this is not a PNG, JPEG, PGM or PPM file");
}

Vectors patches(const Picture& picture, int64_t side, const std::string& name) {
  if (picture.height % side != 0 || picture.width % side != 0)
    refuse(name, fmt::format("patches of {} x {} pixels do not divide the picture of {} x {}", side, side,
                             picture.width, picture.height));
  const int64_t down = picture.height / side, across = picture.width / side;
  Vectors rows{down * across, side * side * picture.channels};
  rows.across = across;
  rows.numbers.reserve(static_cast<size_t>(rows.rows * rows.width));
  for (int64_t patch = 0; patch < rows.rows; ++patch)
    for (int64_t y = 0; y < side; ++y) {
      const int64_t line = patch / across * side + y, column = patch % across * side;
      const uint8_t* from = picture.pixels.data() + (line * picture.width + column) * picture.channels;
      for (int64_t i = 0; i < side * picture.channels; ++i)
        rows.numbers.push_back(static_cast<float>(from[i]) / 255.f);
    }
  return rows;
}

}  // namespace attune
