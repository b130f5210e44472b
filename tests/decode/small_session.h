// A small model with random weights and word vocabularies w0, w1, ... and what else is asked for, a
// word a line.
#ifndef WEFT_TESTS_DECODE_SMALL_SESSION_H_
#define WEFT_TESTS_DECODE_SMALL_SESSION_H_

#include <fmt/core.h>

#include "tests/decode/small_model.h"
#include "tests/support/scratch.h"
#include "weft/model_file/translator.h"

namespace weft::decode {

inline model_file::TranslatorSession small_session(const models::Seq2SeqOptions& options,
                                                   const std::string& more_words = "") {
  const test::Scratch scratch;
  std::string list = "</s>\n<unk>\n<s>\n";
  for (int i = 0; i < 47; ++i) list += fmt::format("w{}\n", i);
  list += more_words;
  const data::TokeniserPtr words = data::load_tokeniser_file(scratch.file("words", list));
  model_file::TranslatorSession session = model_file::new_translator(options, {words, words}, 11);
  if (options.decoder.output_bias) session.model.decoder.output_bias.value.data<float>()[kEnd] = 2;
  return session;
}

// Lines of 0 to 9 words.
inline std::vector<std::string> random_lines(int64_t count) {
  RandomStream random(9, 9);
  std::vector<std::string> out(static_cast<size_t>(count));
  for (std::string& line : out) {
    for (uint64_t n = random.below(10); n > 0; --n) line += fmt::format("w{} ", random.below(47));
  }
  return out;
}

}  // namespace weft::decode

#endif  // WEFT_TESTS_DECODE_SMALL_SESSION_H_
