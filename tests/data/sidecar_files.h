// A corpus and files beside its text: weights, alignments.
#ifndef WEFT_TESTS_DATA_SIDECAR_FILES_H_
#define WEFT_TESTS_DATA_SIDECAR_FILES_H_

#include <gtest/gtest.h>

#include <string>

#include "tests/support/scratch.h"
#include "weft/data/corpus/corpus.h"
#include "weft/data/text/plain_tokeniser.h"

namespace weft::data {

class BesideText : public testing::Test {
 protected:
  // Line 2 is left out: its target is empty.
  Corpus corpus() {
    const std::string source = folder_.file("a.src", "a\na\na b\n");
    const std::string target = folder_.file("a.trg", "a b\n\nb\n");
    const TokeniserPtr tokeniser = make_plain_tokeniser(Vocabulary::from_list("a\nb\n", "v"));
    return Corpus({{{source, target}, false}}, {tokeniser, tokeniser}, {});
  }

  test::Scratch folder_;
};

}  // namespace weft::data

#endif  // WEFT_TESTS_DATA_SIDECAR_FILES_H_
