// How large a batch memory has room for.
#ifndef WEFT_TRAIN_FIT_H_
#define WEFT_TRAIN_FIT_H_

#include <cstdint>
#include <functional>

namespace weft::train {

// The most target tokens to a batch, `most` at the highest, whose update stays within `budget`
// bytes. `probe` gives the bytes that an update with so many tokens to a batch takes; it is asked
// for no more than what the sizes seen before say will fit. Throws OptionError where the smallest
// batch does not fit.
int64_t fit_words(int64_t budget, int64_t most, const std::function<int64_t(int64_t)>& probe);

}  // namespace weft::train

#endif  // WEFT_TRAIN_FIT_H_
