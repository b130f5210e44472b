// The pairs of views that complete and motion read.
#ifndef APPS_WEFT_INPUT_VIEW_INPUT_H_
#define APPS_WEFT_INPUT_VIEW_INPUT_H_

#include <string>
#include <vector>

#include "apps/weft/input/lines.h"
#include "apps/weft/model_options.h"
#include "weft/views.h"

namespace weft::app {

struct ViewInput {
  ModelOptions model;
  std::vector<std::string> input;
  LibraryOptions pairs{ViewPairReader::schema()};

  template <class V>
  void fields(V& v) {
    options::group(v, "Views");
    model.fields(v);
    v("input", input,
      {.help = "pairs of views, or pictures that they are cut from, as --views says: lists, and of "
               "pictures also single ones and folders",
       .letter = 'i',
       .required = true,
       .reads = true});
    pairs.fields(v);
  }

  // The input, in which "-" is standard input.
  std::vector<std::string> files() const {
    std::vector<std::string> out;
    for (const std::string& path : input) out.push_back(input_path(path));
    return out;
  }
  // Whether the pairs come bit by bit; otherwise ViewPairReader reads all at once.
  bool is_pipe() const { return input.size() == 1 && is_stream(input.front()); }
};

}  // namespace weft::app

#endif  // APPS_WEFT_INPUT_VIEW_INPUT_H_
