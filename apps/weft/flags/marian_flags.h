// Hints for users of Marian: flags that Weft names differently or does not have.
#ifndef APPS_WEFT_FLAGS_MARIAN_FLAGS_H_
#define APPS_WEFT_FLAGS_MARIAN_FLAGS_H_

#include <span>
#include <string_view>

namespace weft::app {

// A flag of marian, marian-decoder or marian-scorer with hints for the corresponding commands. A
// hint is empty if the command has an option of that name or Marian's program does not have the
// flag.
struct MarianFlag {
  std::string_view name;
  std::string_view train, translate, score;
};

std::span<const MarianFlag> marian_flags();

// The hint for a name that is not an option of the command ("train", "bench decode"), or "".
std::string_view marian_hint(std::string_view command, std::string_view name);

}  // namespace weft::app

#endif  // APPS_WEFT_FLAGS_MARIAN_FLAGS_H_
