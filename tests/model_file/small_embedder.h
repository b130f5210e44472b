// An untrained embedder of the words w0 to w7.
#ifndef WEFT_TESTS_MODEL_FILE_SMALL_EMBEDDER_H_
#define WEFT_TESTS_MODEL_FILE_SMALL_EMBEDDER_H_

#include <string>

#include "tests/support/options.h"
#include "weft/data/text/plain_tokeniser.h"
#include "weft/model_file/embedder.h"

namespace weft::model_file {

inline EmbedderSession small_embedder(const std::string& flags = "") {
  models::EmbedderOptions o;
  test::set(o,
            "--dim-emb 16 --enc-depth 2 --transformer-heads 2 --transformer-dim-ffn 32 "
            "--position learned --max-positions 12 --embedding-norm --token-types 2 "
            "--embedding-scale 1 --begin-symbol " +
                flags);
  std::vector<std::string> words;
  for (int i = 0; i < 8; ++i) words.push_back("w" + std::to_string(i));
  return new_embedder(o, data::make_plain_tokeniser(data::Vocabulary(words, "words")), 3);
}

}  // namespace weft::model_file

#endif  // WEFT_TESTS_MODEL_FILE_SMALL_EMBEDDER_H_
