// Flags of Marian that Weft spells otherwise or does not have: what the error about an unknown
// option says to those who come from there.
#ifndef APPS_WEFT_MARIAN_FLAGS_H_
#define APPS_WEFT_MARIAN_FLAGS_H_

#include <span>
#include <string_view>

namespace weft::app {

// A flag of marian, marian-decoder or marian-scorer, and a hint for each command that takes their
// place; empty where the command has an option of that name, or Marian's program has no such flag.
struct MarianFlag {
  std::string_view name;
  std::string_view train, translate, score;
};

std::span<const MarianFlag> marian_flags();

// The hint for a name that is no option of the command ("train", "bench decode"), or nothing.
std::string_view marian_hint(std::string_view command, std::string_view name);

}  // namespace weft::app

#endif  // APPS_WEFT_MARIAN_FLAGS_H_
