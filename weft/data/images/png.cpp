#include "weft/data/images/png.h"

#include <png.h>

#include <csetjmp>
#include <cstring>

#include "weft/core/error.h"

namespace weft::data {
namespace {

// Deflate makes at most this many bytes of one.
constexpr int64_t kMaxInflation = 1032;

// What libpng's callbacks see. They may end in longjmp, so nothing here has a destructor.
struct PngMessage {
  char text[200] = {};
};
struct PngSource {
  const uint8_t* next = nullptr;
  size_t left = 0;
};
struct PngTarget {
  char* next = nullptr;
  size_t left = 0;
};

void on_png_read(png_structp png, png_bytep to, size_t size) {
  auto* source = static_cast<PngSource*>(png_get_io_ptr(png));
  if (size > source->left) png_error(png, "it is cut off");
  std::memcpy(to, source->next, size);
  source->next += size;
  source->left -= size;
}

void on_png_write(png_structp png, png_bytep from, size_t size) {
  auto* target = static_cast<PngTarget*>(png_get_io_ptr(png));
  if (size > target->left) png_error(png, "it is larger than foreseen");
  std::memcpy(target->next, from, size);
  target->next += size;
  target->left -= size;
}

void on_png_flush(png_structp) {}

void on_png_error(png_structp png, png_const_charp message) {
  auto* out = static_cast<PngMessage*>(png_get_error_ptr(png));
  std::strncpy(out->text, message, sizeof(out->text) - 1);
  png_longjmp(png, 1);
}

void on_png_warning(png_structp, png_const_charp) {}

class PngDecoder {
 public:
  PngDecoder(std::span<const uint8_t> bytes, const std::string& name)
      : name_(name), file_bytes_(std::ssize(bytes)) {
    source_.next = bytes.data();
    source_.left = bytes.size();
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, &message_, on_png_error, on_png_warning);
    info_ = png_ == nullptr ? nullptr : png_create_info_struct(png_);
    if (info_ == nullptr) {
      png_destroy_read_struct(&png_, nullptr, nullptr);
      fail(name_, "no memory to read a PNG file");
    }
  }
  ~PngDecoder() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngDecoder(const PngDecoder&) = delete;
  PngDecoder& operator=(const PngDecoder&) = delete;

  Image decode() {
    run([this] { read_header(); });
    check_size();
    run([this] { transform(); });
    Image image{.height = png_get_image_height(png_, info_),
                .width = png_get_image_width(png_, info_),
                .channels = png_get_channels(png_, info_),
                .pixels = {}};
    const int64_t row_bytes = image.width * image.channels;
    if (static_cast<int64_t>(png_get_rowbytes(png_, info_)) != row_bytes) {
      fail<FormatError>(name_, "expected pixels of 8 bits after conversion");
    }
    image.pixels.resize(image.height * row_bytes);
    uint8_t* pixels = image.pixels.data();
    const int64_t height = image.height;
    run([=, this] { read_rows(pixels, height, row_bytes); });
    return image;
  }

 private:
  // Calls a function whose errors of libpng leave it by longjmp: it may own nothing.
  template <class Step>
  void run(Step step) {
    if (setjmp(png_jmpbuf(png_)) != 0) {
      fail<FormatError>(name_,
                        "the PNG file cannot be decoded: {}; expected a whole one of at most {} "
                        "pixels",
                        static_cast<const char*>(message_.text), kMaxPixels);
    }
    step();
  }

  void read_header() {
    png_set_user_limits(png_, kMaxPixels, kMaxPixels);
    png_set_read_fn(png_, &source_, on_png_read);
    png_read_info(png_, info_);
  }

  void check_size() const {
    const int64_t height = png_get_image_height(png_, info_);
    const int64_t width = png_get_image_width(png_, info_);
    if (height > kMaxPixels / width) {
      fail<FormatError>(name_, "has {} x {} pixels; expected at most {} in all", height, width,
                        kMaxPixels);
    }
    const int64_t bits = png_get_bit_depth(png_, info_) * png_get_channels(png_, info_);
    if (height * width * bits / 8 > file_bytes_ * kMaxInflation) {
      fail<FormatError>(name_, "the PNG file is cut off: {} bytes cannot hold {} x {} pixels",
                        file_bytes_, height, width);
    }
  }

  // Grey or red-green-blue of 8 bits, with alpha where there is transparency.
  void transform() {
    png_set_expand(png_);
    png_set_scale_16(png_);
    passes_ = png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
  }

  void read_rows(uint8_t* pixels, int64_t height, int64_t row_bytes) {
    for (int pass = 0; pass < passes_; ++pass) {
      for (int64_t y = 0; y < height; ++y) png_read_row(png_, pixels + y * row_bytes, nullptr);
    }
    png_read_end(png_, nullptr);
  }

  const std::string& name_;
  int64_t file_bytes_;
  PngMessage message_;
  PngSource source_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  int passes_ = 1;
};

class PngEncoder {
 public:
  PngEncoder() {
    png_ = png_create_write_struct(PNG_LIBPNG_VER_STRING, &message_, on_png_error, on_png_warning);
    info_ = png_ == nullptr ? nullptr : png_create_info_struct(png_);
    if (info_ == nullptr) {
      png_destroy_write_struct(&png_, nullptr);
      fail("PNG", "no memory to write a picture");
    }
  }
  ~PngEncoder() { png_destroy_write_struct(&png_, &info_); }
  PngEncoder(const PngEncoder&) = delete;
  PngEncoder& operator=(const PngEncoder&) = delete;

  // Writes into `out`, which is long enough, and returns the number of bytes.
  size_t encode(const Image& image, std::string& out) {
    target_ = {.next = out.data(), .left = out.size()};
    write(image.pixels.data(), image.height, image.width, image.channels);
    return out.size() - target_.left;
  }

 private:
  // Errors of libpng return here by longjmp: it may own nothing.
  void write(const uint8_t* pixels, int64_t height, int64_t width, int64_t channels) {
    if (setjmp(png_jmpbuf(png_)) != 0) fail("PNG", "{}", static_cast<const char*>(message_.text));
    png_set_write_fn(png_, &target_, on_png_write, on_png_flush);
    png_set_user_limits(png_, kMaxPixels, kMaxPixels);  // libpng's own are a million
    png_set_IHDR(png_, info_, static_cast<png_uint_32>(width), static_cast<png_uint_32>(height), 8,
                 channels == 1 ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_BASE, PNG_FILTER_TYPE_BASE);
    png_set_sRGB(png_, info_, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(png_, info_);
    for (int64_t y = 0; y < height; ++y) png_write_row(png_, pixels + y * width * channels);
    png_write_end(png_, info_);
  }

  PngMessage message_;
  PngTarget target_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
};

// Drops the last channel, alpha, of each pixel: what it lets through is white.
void compose_over_white(Image& image) {
  const int64_t channels = image.channels - 1, pixels = image.height * image.width;
  const uint8_t* in = image.pixels.data();
  uint8_t* out = image.pixels.data();
  for (int64_t i = 0; i < pixels; ++i, in += channels + 1, out += channels) {
    const int alpha = in[channels];
    for (int64_t c = 0; c < channels; ++c) {
      out[c] = static_cast<uint8_t>((in[c] * alpha + 255 * (255 - alpha) + 127) / 255);
    }
  }
  image.channels = channels;
  image.pixels.resize(pixels * channels);
}

}  // namespace

Image decode_png(std::span<const uint8_t> bytes, const std::string& name) {
  Image image = PngDecoder(bytes, name).decode();
  if (image.channels % 2 == 0) compose_over_white(image);
  return image;
}

std::string encode_png(const Image& image) {
  check_image(image, "PNG");
  png_image shape = {};
  shape.version = PNG_IMAGE_VERSION;
  shape.width = static_cast<png_uint_32>(image.width);
  shape.height = static_cast<png_uint_32>(image.height);
  shape.format = image.channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  std::string bytes(PNG_IMAGE_PNG_SIZE_MAX(shape), '\0');
  bytes.resize(PngEncoder().encode(image, bytes));
  return bytes;
}

}  // namespace weft::data
