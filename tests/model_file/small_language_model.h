// A small language model with random weights and the words w0, w1, ...
#ifndef WEFT_TESTS_MODEL_FILE_SMALL_LANGUAGE_MODEL_H_
#define WEFT_TESTS_MODEL_FILE_SMALL_LANGUAGE_MODEL_H_

#include <fmt/core.h>

#include <string>
#include <vector>

#include "tests/support/options.h"
#include "weft/data/text/plain_tokeniser.h"
#include "weft/model_file/language_model.h"

namespace weft::model_file {

inline constexpr const char* kSmallLanguageModel =
    "--dim-emb 16 --dec-depth 2 --transformer-heads 2 --transformer-key-heads 1 "
    "--transformer-dim-ffn 24 --max-positions 32 --tied-embeddings false --output-bias ";

inline data::TokeniserPtr words_of_language_model() {
  std::vector<std::string> words;
  for (int i = 0; i < 37; ++i) words.push_back(fmt::format("w{}", i));
  return data::make_plain_tokeniser(data::Vocabulary(words, "words"));
}

inline LanguageModelSession small_language_model(const std::string& more_flags = "") {
  models::LanguageModelOptions options;
  test::set(options, kSmallLanguageModel + more_flags);
  return new_language_model(options, words_of_language_model(), 5);
}

}  // namespace weft::model_file

#endif  // WEFT_TESTS_MODEL_FILE_SMALL_LANGUAGE_MODEL_H_
