// Streams whose readers may have heard enough.
#ifndef WEFT_API_STREAMED_H_
#define WEFT_API_STREAMED_H_

#include <optional>
#include <string>

#include "weft/stream.h"

namespace weft::api {

// Calls run(pass), where pass(text) passes text on, and returns its result; nothing where `on_text`
// ended the stream. `heard` is then what was passed on.
template <class Run>
auto streamed(const OnText& on_text, std::string& heard, Run run)
    -> std::optional<decltype(run(std::declval<void (*)(std::string_view)>()))> {
  struct Enough {};
  const auto pass = [&](std::string_view more) {
    heard += more;
    if (!on_text(more)) throw Enough();
  };
  try {
    return run(pass);
  } catch (const Enough&) {
    return std::nullopt;
  }
}

}  // namespace weft::api

#endif  // WEFT_API_STREAMED_H_
