#include "weft/data/images/jpeg.h"

#include <cstdio>
// jpeglib.h requires <cstdio>, and jerror.h jpeglib.h.
#include <jpeglib.h>
//
#include <jerror.h>

#include <csetjmp>
#include <cstring>

#include "weft/core/error.h"

namespace weft::data {
namespace {

// Each scan of a few bytes goes over the whole picture; programs write about ten.
constexpr int kMaxScans = 100;

// What libjpeg's callbacks see, which find it by its first member. They end in longjmp, so nothing
// here has a destructor.
struct JpegErrors {
  jpeg_error_mgr manager = {};
  jmp_buf jump = {};
  char message[JMSG_LENGTH_MAX] = {};
};

void on_jpeg_error(j_common_ptr info) {
  auto* errors = reinterpret_cast<JpegErrors*>(info->err);
  (*info->err->format_message)(info, errors->message);
  longjmp(errors->jump, 1);
}

// Warnings, with a level below 0, are about pixels that are missing or wrong, except these.
void on_jpeg_message(j_common_ptr info, int level) {
  const int code = info->err->msg_code;
  const bool is_harmless =
      code == JWRN_EXTRANEOUS_DATA || code == JWRN_JFIF_MAJOR || code == JWRN_ADOBE_XFORM;
  if (level < 0 && !is_harmless) on_jpeg_error(info);
}

void on_jpeg_output(j_common_ptr) {}

void on_jpeg_progress(j_common_ptr info) {
  if (reinterpret_cast<j_decompress_ptr>(info)->input_scan_number <= kMaxScans) return;
  auto* errors = reinterpret_cast<JpegErrors*>(info->err);
  std::strcpy(errors->message, "it has too many scans");
  longjmp(errors->jump, 1);
}

const char* color_space_name(J_COLOR_SPACE space) {
  switch (space) {
    case JCS_CMYK: return "CMYK";
    case JCS_YCCK: return "YCCK";
    default: return "an unknown one";
  }
}

class JpegDecoder {
 public:
  JpegDecoder(std::span<const uint8_t> bytes, const std::string& name)
      : bytes_(bytes), name_(name) {
    info_.err = jpeg_std_error(&errors_.manager);
    errors_.manager.error_exit = on_jpeg_error;
    errors_.manager.emit_message = on_jpeg_message;
    errors_.manager.output_message = on_jpeg_output;
    progress_.progress_monitor = on_jpeg_progress;
  }
  ~JpegDecoder() { jpeg_destroy_decompress(&info_); }
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;

  Image decode() {
    run([this] { read_header(); });
    check_size();
    Image image{.height = info_.image_height,
                .width = info_.image_width,
                .channels = choose_channels(),
                .pixels = {}};
    const int64_t row_bytes = image.width * image.channels;
    image.pixels.resize(image.height * row_bytes);
    uint8_t* pixels = image.pixels.data();
    run([=, this] { read_rows(pixels, row_bytes); });
    return image;
  }

 private:
  // Calls a function whose errors of libjpeg leave it by longjmp: it may own nothing.
  template <class Step>
  void run(Step step) {
    if (setjmp(errors_.jump) != 0) {
      fail<FormatError>(name_, "the JPEG file cannot be decoded: {}; expected a whole one",
                        static_cast<const char*>(errors_.message));
    }
    step();
  }

  void read_header() {
    jpeg_create_decompress(&info_);
    info_.progress = &progress_;
    jpeg_mem_src(&info_, bytes_.data(), static_cast<unsigned long>(bytes_.size()));
    jpeg_read_header(&info_, TRUE);
  }

  void check_size() const {
    const int64_t height = info_.image_height, width = info_.image_width;
    if (height > kMaxPixels / width) {
      fail<FormatError>(name_, "has {} x {} pixels; expected at most {} in all", height, width,
                        kMaxPixels);
    }
    if (info_.arith_code) return;
    int64_t blocks = 0;  // each of at least one bit
    for (int i = 0; i < info_.num_components; ++i) {
      const jpeg_component_info& component = info_.comp_info[i];
      blocks += int64_t{component.width_in_blocks} * component.height_in_blocks;
    }
    if (blocks / 8 > std::ssize(bytes_)) {
      fail<FormatError>(name_, "the JPEG file is cut off: {} bytes cannot hold {} x {} pixels",
                        bytes_.size(), height, width);
    }
  }

  int64_t choose_channels() {
    switch (info_.jpeg_color_space) {
      case JCS_GRAYSCALE: info_.out_color_space = JCS_GRAYSCALE; return 1;
      case JCS_RGB:
      case JCS_YCbCr: info_.out_color_space = JCS_RGB; return 3;
      default:
        fail<FormatError>(name_, "expected a JPEG file of grey, YCbCr or RGB, got {}",
                          color_space_name(info_.jpeg_color_space));
    }
  }

  void read_rows(uint8_t* pixels, int64_t row_bytes) {
    jpeg_start_decompress(&info_);
    while (info_.output_scanline < info_.output_height) {
      JSAMPROW row = pixels + info_.output_scanline * row_bytes;
      jpeg_read_scanlines(&info_, &row, 1);
    }
    jpeg_finish_decompress(&info_);
  }

  std::span<const uint8_t> bytes_;
  const std::string& name_;
  JpegErrors errors_;
  jpeg_progress_mgr progress_ = {};
  jpeg_decompress_struct info_ = {};
};

}  // namespace

Image decode_jpeg(std::span<const uint8_t> bytes, const std::string& name) {
  return JpegDecoder(bytes, name).decode();
}

}  // namespace weft::data
