// The tokenisers of tests/golden/tokenizers, and what Hugging Face's tokenizers makes of texts.
#ifndef WEFT_TESTS_DATA_SUBWORDS_GOLDEN_TOKENISERS_H_
#define WEFT_TESTS_DATA_SUBWORDS_GOLDEN_TOKENISERS_H_

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/paths.h"
#include "tests/support/scratch.h"
#include "weft/data/subwords/subword_tokeniser.h"

namespace weft::data {

inline const nlohmann::ordered_json& golden_file(const std::string& name) {
  static std::map<std::string, nlohmann::ordered_json> files;
  const auto [file, added] = files.try_emplace(name);
  if (added) {
    file->second = nlohmann::ordered_json::parse(
        test::read_bytes(test::source_path("tests/golden/tokenizers/" + name + ".json")));
  }
  return file->second;
}

inline SubwordTokeniserPtr golden_tokeniser(const std::string& name) {
  return load_tokenizer_json(golden_file(name).at("tokenizer").dump(), name);
}

}  // namespace weft::data

#endif  // WEFT_TESTS_DATA_SUBWORDS_GOLDEN_TOKENISERS_H_
