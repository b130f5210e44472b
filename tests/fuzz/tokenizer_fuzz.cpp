// Fuzzes the reader of tokenizer.json (libFuzzer):
//
//   cmake --preset fuzz && cmake --build --preset fuzz
//   build/fuzz/tests/weft_tokenizer_fuzz -max_len=8192 -max_total_time=600 corpus
//
// `corpus` is a folder. If empty, it is initialised with small tokenisers of every model.
#include <cstdint>
#include <string>
#include <vector>

#include "tests/fuzz/tokenisers.h"
#include "weft/core/error.h"
#include "weft/data/subwords/subword_tokeniser.h"

namespace {

using namespace weft::data;

std::vector<std::string> seeds() {
  const auto whole = [](const std::string& model, const std::string& more) {
    return R"({"version":"1.0","added_tokens":[{"id":9,"content":"<s>","special":true,)"
           R"("lstrip":true,"rstrip":true,"single_word":true}],"model":)" +
           model + more + "}";
  };
  const std::string letters = R"("vocab":{"a":0,"b":1,"ab":2,"##b":3,"<0x41>":4,"[UNK]":5})";
  return {
      whole(R"({"type":"BPE","byte_fallback":true,"merges":["a b"],)" + letters + "}",
            R"(,"pre_tokenizer":{"type":"Sequence","pretokenizers":[{"type":"Split","pattern":)"
            R"({"Regex":"a+|\\s"},"behavior":"MergedWithNext"},{"type":"ByteLevel"}]},)"
            R"("decoder":{"type":"ByteLevel"},"normalizer":{"type":"NFKC"})"),
      whole(R"({"type":"WordPiece","unk_token":"[UNK]",)" + letters + "}",
            R"(,"normalizer":{"type":"BertNormalizer"},"pre_tokenizer":{"type":)"
            R"("BertPreTokenizer"},"decoder":{"type":"WordPiece"},"post_processor":{"type":)"
            R"("BertProcessing","sep":["a",0],"cls":["b",1]})"),
      whole(R"({"type":"Unigram","unk_id":0,"vocab":[["<unk>",0],["a",-1.5],["ab",-2]]})",
            R"(,"pre_tokenizer":{"type":"Metaspace","replacement":"_"},"decoder":{"type":)"
            R"("Sequence","decoders":[{"type":"ByteFallback"},{"type":"Fuse"},{"type":"Strip",)"
            R"("content":" ","start":1,"stop":1}]})"),
      whole(R"({"type":"WordLevel","unk_token":"[UNK]",)" + letters + "}",
            R"(,"pre_tokenizer":{"type":"Digits"},"special_tokens":{"eos_token":["a"]})"),
  };
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  weft::test::add_seeds({*argv, static_cast<size_t>(*argc)}, seeds());
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    weft::test::use(*load_tokenizer_json({reinterpret_cast<const char*>(data), size}, "fuzz"));
  } catch (const weft::FormatError&) {  // the one kind that bytes may lead to
  }
  return 0;
}
