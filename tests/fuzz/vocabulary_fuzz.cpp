// Fuzzes the readers of vocabularies in model files and `.model` files (libFuzzer):
//
//   cmake --preset fuzz && cmake --build --preset fuzz
//   build/fuzz/tests/weft_vocabulary_fuzz -max_len=20000 -max_total_time=600 corpus
//
// `corpus` is a folder. If empty, it is initialised with small vocabularies of every kind.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/fuzz/seeds.h"
#include "weft/core/error.h"
#include "weft/core/text/utf8.h"
#include "weft/data/text/mapped_tokeniser.h"
#include "weft/data/text/plain_tokeniser.h"
#include "weft/data/text/sentencepiece.h"

namespace {

using namespace weft::data;
using weft::test::require;

std::vector<std::string> seeds() {
  const std::vector<std::string> lines = {"a b ab", "the cat",
                                          "two \xE4\xB8\xAD\xE6\x96\x87 caf\xC3\xA9"};
  const auto spm = [&](const std::string& type, const std::string& options) {
    return train_sentencepiece(lines, {.size = 300, .type = type, .options = options}, "seed");
  };
  const std::string identity = "--normalization_rule_name=identity ";
  std::vector<std::string> out;
  for (const char* type : {"unigram", "bpe", "char", "word"}) {
    out.push_back(spm(type, identity));
    out.push_back(spm(type, identity + "--byte_fallback=true --user_defined_symbols=<x>,<xy>"));
  }
  const std::string rules = (std::filesystem::temp_directory_path() / "weft_fuzz.tsv").string();
  std::ofstream(rules) << "61 62\t63\n61\t64 65\nE9\t65\n";  // ab: c, a: de, é: e
  out.push_back(spm("unigram", "--normalization_rule_tsv=" + rules));
  out.push_back(MappedTokeniser(load_sentencepiece(out.back(), "seed"),
                                Vocabulary({"</s>", "a", "<unk>", ">>it<<"}, "seed"))
                    .serialise());
  out.push_back(make_plain_tokeniser(Vocabulary({"a", "ab", "the"}, "seed"))->serialise());
  out.push_back(make_plain_tokeniser(Vocabulary({"a", " ", "b"}, "seed"))->serialise());
  return out;
}

void use(const Tokeniser& tokeniser) {
  for (const char* text :
       {"", " ", "ab ba", ">>it<< \xEF\xBC\xA1 caf\xC3\xA9 e\xCC\x81 \xE2\x91\xA0.",
        "a  \xE9\xBE\x98 <unk></s> <0x41> <xy>\x01"}) {
    require(weft::valid_utf8(tokeniser.decode(tokeniser.encode(text))));
  }
  std::vector<int32_t> all(tokeniser.size());
  for (int32_t id = 0; id < tokeniser.size(); ++id) {
    require(weft::valid_utf8(tokeniser.piece(id)));
    all[id] = id;
  }
  require(weft::valid_utf8(tokeniser.decode(all)));
  tokeniser.piece(tokeniser.end_id());
  tokeniser.piece(tokeniser.begin_id());
  tokeniser.piece(tokeniser.unknown_id());
  require(is_same(*load_tokeniser(tokeniser.serialise(), "again"), tokeniser));
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  weft::test::add_seeds({*argv, static_cast<size_t>(*argc)}, seeds());
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    use(*load_tokeniser({reinterpret_cast<const char*>(data), size}, "fuzz"));
  } catch (const weft::Error&) {  // refused
  }
  return 0;
}
