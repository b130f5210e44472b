// The pictures of a file in MNIST's form (IDX), as an --input.
#ifndef APPS_WEFT_INPUT_IDX_PICTURES_H_
#define APPS_WEFT_INPUT_IDX_PICTURES_H_

#include <functional>
#include <span>
#include <string>

#include "weft/data/images/image.h"

namespace weft::app {

// Whether this --input is a file in MNIST's form. False of a pipe, which looking into would use up.
bool is_idx_file(const std::string& input);

// Calls take(pictures, first) for each window of at most `most` pictures; `first` is the index of
// its first one. Returns how many there are. Throws what data::read_idx_images() throws.
int64_t for_each_idx_window(
    const std::string& path, int64_t most,
    const std::function<void(std::span<const data::Image> pictures, int64_t first)>& take);

}  // namespace weft::app

#endif  // APPS_WEFT_INPUT_IDX_PICTURES_H_
