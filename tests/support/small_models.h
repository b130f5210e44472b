// A folder with an untrained model of each kind, and examples that they read.
#ifndef WEFT_TESTS_SUPPORT_SMALL_MODELS_H_
#define WEFT_TESTS_SUPPORT_SMALL_MODELS_H_

#include <string>
#include <vector>

#include "tests/support/scratch.h"

namespace weft::test {

// Writes the models `translator`, `classifier` (words w0, w1, ...), `tagger`, `pictures` and
// `vectors` (classifiers), `embedder`, `masked`, `language`, `detector`, `transcriber`,
// `completer` and `motion`, and the examples 0.png to 3.png, 0.wav to 3.wav and 0.csv to 3.csv.
void write_small_models(const Scratch& folder);

}  // namespace weft::test

#endif  // WEFT_TESTS_SUPPORT_SMALL_MODELS_H_
