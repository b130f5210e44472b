// An untrained masked language model of the words w0 to w7.
#ifndef WEFT_TESTS_MODEL_FILE_SMALL_MASKED_LM_H_
#define WEFT_TESTS_MODEL_FILE_SMALL_MASKED_LM_H_

#include <string>

#include "tests/support/options.h"
#include "weft/data/text/plain_tokeniser.h"
#include "weft/model_file/masked_lm.h"

namespace weft::model_file {

inline MaskedLmSession small_masked_lm(const std::string& flags = "") {
  models::MaskedLmOptions o;
  test::set(o,
            "--dim-emb 16 --enc-depth 2 --transformer-heads 2 --transformer-dim-ffn 32 "
            "--position learned --max-positions 12 --begin-symbol " +
                flags);
  std::vector<std::string> words;
  for (int i = 0; i < 8; ++i) words.push_back("w" + std::to_string(i));
  return new_masked_lm(o, data::make_plain_tokeniser(data::Vocabulary(words, "words")), 3);
}

}  // namespace weft::model_file

#endif  // WEFT_TESTS_MODEL_FILE_SMALL_MASKED_LM_H_
