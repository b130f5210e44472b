// The vocabularies of a training run: read where their files exist, else made from its text.
#ifndef WEFT_DATA_OPEN_VOCABULARIES_H_
#define WEFT_DATA_OPEN_VOCABULARIES_H_

#include <vector>

#include "weft/data/options.h"
#include "weft/data/tokeniser.h"

namespace weft::data {

// One tokeniser for each name in options.vocabs; equal names share one, made over all their sides.
// A vocabulary that is made is a pure function of text, options and seed, and is written to its
// file whole or not at all. Throws OptionError when the options contradict each other or a file
// found (a vocabulary larger than --dim-vocabs, say), FormatError when the training text has no
// usable line, and what reading throws.
std::vector<TokeniserPtr> open_vocabularies(const DataOptions& options, uint64_t seed);

}  // namespace weft::data

#endif  // WEFT_DATA_OPEN_VOCABULARIES_H_
