// A line of input.
#ifndef WEFT_PREDICT_LINE_H_
#define WEFT_PREDICT_LINE_H_

#include <string>

namespace weft::predict {

struct Line {
  std::string text;           // or the path of a file; without its line break
  bool is_over_long = false;  // over the limit in bytes: never read
};

}  // namespace weft::predict

#endif  // WEFT_PREDICT_LINE_H_
