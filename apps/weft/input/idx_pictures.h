// The pictures of a file in MNIST's form (IDX), as an --input.
#ifndef APPS_WEFT_INPUT_IDX_PICTURES_H_
#define APPS_WEFT_INPUT_IDX_PICTURES_H_

#include <string>

#include "weft/data/images/idx.h"

namespace weft::app {

// Whether this --input is a file in MNIST's form. False of a pipe, which looking into would use up.
bool is_idx_file(const std::string& input);

class IdxSource {
 public:
  using Item = data::Image;
  static constexpr std::string_view kUnit = "picture";

  // Throws what data::read_idx_images() throws.
  explicit IdxSource(const std::string& path) : pictures_(data::read_idx_images(path)) {}

  bool next(data::Image& picture);
  static bool is_ready() { return true; }

 private:
  data::IdxImages pictures_;
  int64_t taken_ = 0;
};

}  // namespace weft::app

#endif  // APPS_WEFT_INPUT_IDX_PICTURES_H_
