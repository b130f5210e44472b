// Items of a file, a pipe or a terminal that are read together.
#ifndef WEFT_DATA_NEXT_WINDOW_H_
#define WEFT_DATA_NEXT_WINDOW_H_

#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace weft::data {

// Waits for an item of a source and takes those that follow without another wait, up to `most`:
// from a file that many, from a pipe or a terminal those that have arrived. False at the end. A
// source has next(item), false where there is no more, and is_ready(), whether next() would return
// without waiting.
template <class Source, class Item>
bool next_window(Source& source, int64_t most, std::vector<Item>& window) {
  window.clear();
  for (Item item;
       std::ssize(window) < most && (window.empty() || source.is_ready()) && source.next(item);) {
    window.push_back(std::move(item));
  }
  return !window.empty();
}

}  // namespace weft::data

#endif  // WEFT_DATA_NEXT_WINDOW_H_
