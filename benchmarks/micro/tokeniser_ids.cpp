// Tokenises texts, for benchmarks/tasks/conversion/tokenisers.py:
//
//     weft_tokeniser_ids FILE
//
// FILE is a tokenizer.json or a GGUF file. Every line of the standard input is a text as a JSON
// string; for each, prints a JSON object: its ids, the bytes [begin, end) that each token stands
// for, and the text that the ids give. Special tokens are those that the text spells and those that
// the tokeniser adds.
#include <fmt/core.h>

#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "weft/core/error.h"
#include "weft/data/subwords/gguf_fields.h"
#include "weft/data/subwords/subword_tokeniser.h"
#include "weft/formats/gguf.h"

namespace weft {
namespace {

data::SubwordTokeniserPtr open(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail<FileError>("tokeniser", "{}: cannot be opened", path);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (!path.ends_with(".gguf")) return data::load_tokenizer_json(bytes, path, {});
  return data::load_gguf_tokeniser(formats::parse_gguf(path, bytes).metadata, path);
}

void run(const std::string& path) {
  const data::SubwordTokeniserPtr tokeniser = open(path);
  for (std::string line; std::getline(std::cin, line);) {
    const std::string text = nlohmann::json::parse(line).get<std::string>();
    const data::Encoding found =
        tokeniser->encode(text, {.parse_special = true, .typed = {}, .add_special = true});
    nlohmann::json spans = nlohmann::json::array();
    for (const data::ByteRange& span : found.spans) spans.push_back({span.begin, span.end});
    const nlohmann::json out = {
        {"ids", found.ids}, {"spans", spans}, {"text", tokeniser->decode(found.ids, true)}};
    fmt::print("{}\n", out.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace));
  }
}

}  // namespace
}  // namespace weft

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: weft_tokeniser_ids FILE\n");
    return 2;
  }
  try {
    weft::run(argv[1]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
